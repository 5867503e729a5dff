/** Messages to and from the server, as docs/spec/web.md describes them. Types only. */

export type Value = boolean | number | string | number[] | null;
export type Values = Record<string, Value>;

export interface RunInfo {
  id: string;
  pipeline: string;
  started_ns: number;
  host: string;
  pv_prefix: string | null;
  cores: number;
}

export interface Rights {
  read: boolean;
  write: boolean;
  user: string;
  in_control: boolean;
}

/** A host of the graph. Of one that is not reachable nothing is known: null. */
export interface HostState {
  name: string;
  page: string | null;
  self: boolean;
  reachable: boolean;
  /** Why it is not, as a word and in a sentence. */
  code: string | null;
  why: string | null;
  /** Since when it is reachable, or is not; and when it answered last. */
  since_ns: number;
  heard_ns: number | null;
  state: 'running' | 'ended' | 'failed' | null;
  failure: string | null;
  losses: 'nothing' | 'losing' | 'has_lost' | 'acknowledged' | null;
  text: string | null;
  unintended: number | null;
  closed: boolean | null;
  in_doubt: number | null;
  frames: number | null;
}

export interface ParamSpec {
  name: string;
  doc: string;
  type: 'bool' | 'int' | 'float' | 'text' | 'enum' | 'list';
  unit: string | null;
  min: number | null;
  max: number | null;
  pv: string | null;
  readback: boolean;
  default: Value;
  choices: { name: string; doc: string; pv: string | null }[] | null;
}

/** The settings file, and where values come from. */
export interface Settings {
  file: string | null;
  problem: string | null;
  saved_at: string | null;
  values: { node: string; key: string; value: Value; file: Value; source: string; by: string; at: string }[];
  not_restored: { node: string; key: string; value: Value; message: string; kept: boolean }[];
  problems: string[];
}

export interface PortInfo {
  name: string;
  frames: string;
}

export interface NodeType {
  name: string;
  kind: string;
  summary: string;
  inputs: PortInfo[];
  outputs: PortInfo[];
  params: ParamSpec[];
}

export interface NodeInfo {
  name: string;
  type: string;
  kind: string;
  placement: string;
  initial: Values;
  /** Values of the pipeline file, of parameters that settings have changed at the start. */
  file?: Values;
  outputs: { name: string; kinds: string[] }[];
}

export interface Edge {
  from: string;
  to: string;
  nodes: [number, number | null];
  when_full: string;
  open: boolean;
  queue: number | null;
  every: number | null;
  max_rate_hz: number | null;
}

export interface Graph {
  graph: number;
  edges: Edge[];
}

export interface Described {
  api: number;
  version: string;
  run: RunInfo;
  nodes: NodeInfo[];
  types: Record<string, NodeType>;
  graph: Graph;
  rights: Rights;
}

export interface Input {
  from: string;
  to: string;
  when_full: string;
  queue: number | null;
  every: number | null;
  max_rate_hz: number | null;
}

export interface NodeNow {
  name: string;
  version: number;
  enabled: boolean;
  sends: boolean;
  acquiring: boolean;
  busy: boolean;
  input: Input | null;
  /** All edges that lead to it, input by input. */
  inputs: Input[];
  values: Values;
}

export interface Control {
  holder: { user: string; from: string; since_ns: number; you: boolean } | null;
  watching: number;
}

export interface Limit {
  limit: { by: 'node' | 'cpu'; node: string | null };
  busiest_node: string;
  utilisation: number;
  cpu_utilisation: number | null;
  rate_hz: number;
  sustainable_hz: number;
  one_more_thread?: { node: string; placement: string; sustainable_hz: number } | null;
}

type Numbers = (number | null)[];

export interface Moment {
  version: number;
  graph: number;
  at_ns: number;
  elapsed_ns: number;
  state: 'running' | 'ended' | 'failed';
  failure: string | null;
  run: {
    hz: number;
    cpu: number | null;
    live: number;
    frames: number;
    unintended: number;
    intended: number;
    /** Sums over all edges. */
    offered: number;
    delivered: number;
    queued: number;
    closed: boolean;
    pool_used: number;
    pool_limit: number;
    pool_peak: number;
  };
  limit: Limit | null;
  nodes: Record<
    | 'hz' | 'in_hz' | 'out_hz' | 'frames' | 'service_ms' | 'cpu' | 'service_p50_ms' | 'service_p99_ms'
    | 'waiting_p50_ms' | 'waiting_p99_ms' | 'latency_p50_ms' | 'latency_p99_ms' | 'queued' | 'capacity' | 'lost'
    | 'left_out' | 'losing' | 'state',
    Numbers
  >;
  edges: Record<'offered' | 'delivered' | 'queued' | 'capacity' | 'lost' | 'left_out' | 'losing' | 'waiting_p99_ms', Numbers>;
  losses: LossRow[];
  loss: LossState;
  /** Values beyond their limits; absent when there is none. */
  alarms?: AlarmRow[];
}

/** A value that is beyond a limit: HIHI, HIGH, LOW or LOLO. */
export type AlarmRow = [node: number, what: string, bound: string, at: number | null, severity: 'MINOR' | 'MAJOR' | 'INVALID'];

/** One kind of loss; `edge` is null for one in a node, `node` for one on the way to pages. */
export type LossRow = [
  edge: number | null, reason: string, count: number, node: number | null, intended: boolean, grewNs: number, losing: boolean,
];

/** The state of the run's unintended losses. */
export interface LossState {
  state: 'nothing' | 'losing' | 'has_lost' | 'acknowledged';
  /** Place of the newest one in `losses`, that loss in words, and when it grew. */
  newest: number | null;
  text: string | null;
  at_ns: number | null;
  acknowledged: { unintended: number; at_ns: number; by: { face: string; user: string; from: string | null } } | null;
}

/** Percentiles over the last second, ten seconds and minute, and of the whole run, by number of the node. */
export const WINDOWS = ['1s', '10s', '60s', 'run'] as const;
export type Windows = Record<(typeof WINDOWS)[number], Numbers>;
export type Times = Record<'waiting' | 'service' | 'latency', { p50_ms: Windows; p99_ms: Windows }>;

/** Bits of `nodes.state`. */
export const ENABLED = 1;
export const SENDS = 2;
export const ACQUIRING = 4;
export const BUSY = 8;
export const SOURCE = 16;

export interface Entry {
  number: number;
  at_ns: number;
  what: 'event' | 'action';
  level: 'error' | 'info';
  node: string;
  text: string;
  by?: { face: string; user: string; from: string; door?: string };
  problem?: string | null;
}

export type Message =
  | { kind: 'hello'; api: number; version: string; run: RunInfo; rights: Rights; client: number }
  | ({ kind: 'graph' } & Graph)
  | ({ kind: 'control' } & Control)
  | ({ kind: 'moment' } & Moment)
  | ({ kind: 'times'; version: number } & Times)
  | { kind: 'values'; version: number; nodes: Record<string, Values> }
  | { kind: 'log'; entries: Entry[]; left_out: number }
  | { kind: 'end'; report: { failure: string | null } };

export type ToServer =
  | { kind: 'watch'; nodes: string[] }
  | { kind: 'pace'; hz: number }
  | { kind: 'seen'; version: number };

export interface ViewWish {
  from: string;
  region: [number, number, number, number] | null;
  fit: [number, number] | null;
  /** Bins as wide as high, unless each axis is to have its own. */
  axes?: 'own';
  reduce: 'max' | 'mean' | 'pick';
  as: 'native' | 'u8';
}

/** A piece of time that is missing from a trigger record, in ticks from the begin of its window. */
export interface MissingTime {
  begin: number;
  end: number;
  why: string;
}

export interface RecordSummary {
  trigger: number;
  kinds: number[];
  activities: number;
  hits: number;
  bytes: number;
  links: number;
  /** Links and streams of hits with missing time. */
  incomplete: number;
  whole: boolean;
}

export interface RecordEntry {
  number: number;
  at_ns: number;
  summary: RecordSummary;
}

export interface TriggerRecord {
  number: number;
  at_ns: number;
  trigger: number;
  kinds: number[];
  whole: boolean;
  /** In decimal digits: more than a number of the browser holds. */
  window_begin: string;
  window_ticks: number;
  candidate: number;
  links: { link: number; bytes: number; missing: MissingTime[] }[];
  streams: { link: number | null; missing: MissingTime[] }[];
  hits: Record<'start' | 'channel' | 'sum' | 'peak' | 'ticks' | 'link' | 'plane' | 'flags', number[]>;
  hits_left_out: number;
}

export interface SavedPipeline {
  name: string;
  file: string;
  now: string;
  differences: { node: string; what: string; was: string; now: string }[];
  notes: string[];
  problem: string | null;
  problems: { code: string; message: string; line: number | null; column: number | null }[];
}
