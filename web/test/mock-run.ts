/**
 * A run that does not exist, spoken for as docs/spec/web.md says: for what a real run shows seldom, such as fifty nodes, long names,
 * losses at a chosen moment, and refusals. `node test/mock-run.ts [PORT]` serves it, with the built page.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Edge, HostState, LossRow, Moment, NodeInfo, NodeType, ParamSpec, Value, Values } from '../src/link/protocol.ts';
import { SocketPeer } from './socket-server.ts';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const TYPES: Record<string, string> = {
  '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.woff2': 'font/woff2', '.txt': 'text/plain',
};

export interface MockOptions {
  /** Pairs of region and statistics beside the source. */
  branches?: number;
  longNames?: boolean;
  size?: number;
  /** Nodes in a row behind the source, each fed by the one before. */
  chain?: number;
  /** The height of the picture, where it is not as high as wide. */
  height?: number;
  /** `false`: the source sends tables alone. */
  arrays?: boolean;
  /** A page looks at the source, and is not shown all of it. */
  outlet?: boolean;
  writable?: boolean;
  pictures?: boolean;
  /** A node that sends hits as tables. */
  tables?: boolean;
  /** The hosts of its graph, where it has several. */
  hosts?: HostState[];
  /** A parameter that settings have restored. */
  restored?: { node: string; param: string; file: Value; now: Value };
}

/** Rows of a table of hits. */
export const HITS = 40;

const spec = (name: string, type: ParamSpec['type'], more: Partial<ParamSpec> = {}): ParamSpec => ({
  name, type, doc: `What ${name} means, in a sentence.`, unit: null, min: null, max: null, pv: null, readback: false, default: 0,
  choices: null, ...more,
});

const ROI: ParamSpec[] = [
  spec('name', 'text', { default: '' }),
  ...['x', 'y', 'z'].map((a) => spec(`enable_${a}`, 'bool', { default: true })),
  ...['x', 'y'].map((a) => spec(`min_${a}`, 'int', { unit: 'px', pv: `Min${a.toUpperCase()}`, doc: 'First pixel, from 0, of the input.' })),
  ...['x', 'y'].map((a) => spec(`size_${a}`, 'int', { unit: 'px', default: 100, min: 1, doc: 'Pixels of the input.' })),
  ...['x', 'y'].map((a) => spec(`bin_${a}`, 'int', { default: 1, min: 1, max: 1024, doc: 'Pixels that are added up to one.' })),
  spec('scale', 'float', { default: 1 }),
  spec('data_type', 'enum', {
    default: 'automatic', choices: ['automatic', 'u8', 'u16'].map((name) => ({ name, doc: `As ${name}.`, pv: null })),
  }),
  spec('out_width', 'int', { readback: true, unit: 'px' }),
];
const STATISTICS: ParamSpec[] = [
  spec('compute_statistics', 'bool', { default: true }),
  spec('centroid_threshold', 'float', { default: 5, unit: 'counts' }),
  spec('mean_value', 'float', { readback: true, unit: 'counts' }),
  spec('max_value', 'float', { readback: true, unit: 'counts' }),
  spec('histogram', 'list', { readback: true }),
];
const SOURCE: ParamSpec[] = [
  spec('acquire_time', 'float', { unit: 's', min: 0, default: 0.001 }),
  spec('gain', 'float', { default: 1 }),
  spec('image_mode', 'enum', { default: 'continuous', choices: ['single', 'continuous'].map((name) => ({ name, doc: '', pv: null })) }),
];

const type = (name: string, kind: string, params: ParamSpec[]): NodeType => ({
  name, kind, params, summary: `A ${name.replaceAll('_', ' ')} that is only spoken of.`, inputs: [], outputs: [],
});

export class MockRun {
  readonly server: Server;
  readonly nodes: NodeInfo[] = [];
  readonly edges: Edge[] = [];
  readonly values: Record<string, Values> = {};
  readonly peers = new Set<SocketPeer>();
  readonly requests: { method: string; path: string; body: unknown }[] = [];
  lost = 0;
  private version = 1;
  private log = 0;
  private readonly started = Date.now();
  private readonly types: Record<string, NodeType> = {
    sim_detector: type('sim_detector', 'source', SOURCE), roi: type('roi', 'process', ROI),
    statistics: type('statistics', 'sink', STATISTICS), find_hits: type('find_hits', 'process', STATISTICS),
  };
  private readonly size: number;
  private readonly height: number;
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(private readonly options: MockOptions = {}) {
    this.size = options.size ?? 512;
    this.height = options.height ?? this.size;
    const detector = options.longNames ? 'detector_at_the_end_of_the_second_hutch_with_a_long_name' : 'detector';
    this.add(detector, 'sim_detector', null);
    for (let i = 1; i <= (options.branches ?? 4); i++) {
      const roi = options.longNames ? `REGION_AROUND_THE_FIRST_DIFFRACTION_ORDER_${i}` : `ROI${i}`;
      this.add(roi, 'roi', detector);
      this.add(`STATS${i}`, 'statistics', roi);
      const half = this.size / 2;
      Object.assign(this.values[roi]!, { min_x: (i % 2) * half, min_y: (i % 4 > 1 ? 1 : 0) * half, size_x: half, size_y: half });
    }
    for (let i = 1; i <= (options.chain ?? 0); i++) this.add(`LINK_${i}_OF_A_LONG_CHAIN_${i}`, 'roi', i > 1 ? `LINK_${i - 1}_OF_A_LONG_CHAIN_${i - 1}` : detector);
    if (options.restored) {
      const { node, param, file, now } = options.restored;
      const info = this.nodes.find(({ name }) => name === node)!;
      this.values[node]![param] = info.initial[param] = now;
      info.file = { [param]: file };
    }
    if (options.tables) this.add('HITS', 'find_hits', detector);
    if (options.outlet) {
      const more = { when_full: 'drop_oldest', open: true, queue: 1, every: 1, max_rate_hz: 30 };
      this.edges.push({ from: `${detector}.out`, to: '(outlet)', nodes: [0, null], ...more });
    }
    this.server = createServer((request, answer) => void this.answer(request, answer));
    this.server.on('upgrade', (request, stream) => this.join(new SocketPeer(request, stream)));
    this.timer = setInterval(() => this.tick(), 100);
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((done) => this.server.listen(port, '127.0.0.1', done));
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}/`;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const peer of this.peers) peer.close();
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private add(name: string, kind: string, from: string | null): void {
    const described = this.types[kind]!;
    this.values[name] = Object.fromEntries(described.params.map((p) => [p.name, p.readback && p.type === 'list' ? [1, 2, 3, 4, 5] : p.default]));
    const kinds = kind === 'find_hits' || this.options.arrays === false ? ['table'] : ['array'];
    const outputs = kind === 'statistics' ? [] : [{ name: `${name}.out`, kinds }];
    const initial = { ...this.values[name] };
    this.nodes.push({ name, type: kind, kind: described.kind, placement: 'own thread', initial, outputs });
    if (from === null) return;
    const nodes: [number, number] = [this.nodes.findIndex((node) => node.name === from), this.nodes.length - 1];
    const more = { when_full: 'drop_newest', open: true, queue: 20, every: 1, max_rate_hz: null };
    this.edges.push({ from: `${from}.out`, to: `${name}.in`, nodes, ...more });
  }

  // ---- State ----

  private join(peer: SocketPeer): void {
    this.peers.add(peer);
    peer.onclose = () => this.peers.delete(peer);
    peer.onmessage = (text) => {
      const message = JSON.parse(text) as { kind: string; nodes?: string[] };
      if (message.kind !== 'watch') return;
      const nodes = Object.fromEntries((message.nodes ?? []).map((name) => [name, this.values[name] ?? {}]));
      peer.send({ kind: 'values', version: this.version, nodes });
    };
    peer.send({ kind: 'hello', api: 1, version: '0.1.0', run: this.run(), rights: this.rights(), client: 1 });
    peer.send({ kind: 'graph', graph: 1, edges: this.edges });
    peer.send({ kind: 'control', holder: null, watching: this.peers.size });
    peer.send({ kind: 'log', left_out: 0, entries: [this.entry('run', 'started')] });
  }

  entry(node: string, text: string, level: 'info' | 'error' = 'info') {
    return { number: this.log++, at_ns: Date.now() * 1e6, what: 'event', level, node: node === 'run' ? '' : node, text };
  }

  say(message: unknown): void {
    for (const peer of this.peers) peer.send(message);
  }

  private tick(): void {
    this.version++;
    this.say(this.moment());
  }

  private run() {
    return {
      id: 'mock', pipeline: 'mock.yaml', started_ns: this.started * 1e6, host: 'nowhere', pv_prefix: '13SIM1:', cores: 2,
    };
  }

  private rights() {
    return { read: true, write: this.options.writable !== false, user: '', in_control: false };
  }

  private moment(): { kind: 'moment' } & Moment {
    const each = (of: (i: number) => number | null) => this.nodes.map((_, i) => of(i));
    const along = (of: (i: number) => number) => this.edges.map((_, i) => of(i));
    const frames = Math.round((Date.now() - this.started) / 5);
    const last = this.nodes.length - 1;
    return {
      kind: 'moment', version: this.version, graph: 1, at_ns: Date.now() * 1e6, elapsed_ns: (Date.now() - this.started) * 1e6,
      state: 'running', failure: null,
      run: {
        hz: 200, cpu: 83.1, live: 1 - this.lost / Math.max(1, frames), frames, unintended: this.lost, intended: 0, closed: true,
        offered: frames * this.edges.length, delivered: frames * this.edges.length - this.lost, queued: 0,
        pool_used: 222298112, pool_limit: 1073741824, pool_peak: 230686720,
      },
      limit: {
        limit: { by: 'node', node: this.nodes[last]!.name }, busiest_node: this.nodes[last]!.name, utilisation: 0.21,
        cpu_utilisation: 0.4, rate_hz: 200, sustainable_hz: 952,
      },
      nodes: {
        hz: each(() => 200), in_hz: each((i) => (i ? 200 : null)), out_hz: each(() => 200), frames: each(() => frames),
        service_ms: each((i) => (i % 2 ? 0.003 : 1)), cpu: each((i) => (i % 2 ? 1 : 21)), service_p50_ms: each((i) => (i % 2 ? 0.003 : 0.9)),
        service_p99_ms: each(() => 1.2), waiting_p50_ms: each(() => 0.1), waiting_p99_ms: each(() => 2), latency_p50_ms: each(() => 1),
        latency_p99_ms: each((i) => i * 0.7), queued: each((i) => (i === last && this.lost ? 9 : 0)), capacity: each((i) => (i ? 20 : 0)),
        lost: each((i) => (i === last ? this.lost : 0)), left_out: each(() => 0),
        losing: each((i) => (i === last && this.lost ? 1 : 0)), state: each((i) => (i ? 3 : 31 - 8)),
      },
      edges: {
        offered: along(() => frames), delivered: along((i) => frames - (i === last - 1 ? this.lost : 0)), queued: along(() => 0),
        capacity: along(() => 20), lost: along((i) => (i === last - 1 ? this.lost : 0)), left_out: along((i) => (this.edges[i]!.nodes[1] === null ? 17 : 0)),
        losing: along((i) => (i === last - 1 && this.lost ? 1 : 0)),
        waiting_p99_ms: along(() => 0.2),
      },
      losses: [
        ...(this.lost ? [[last - 1, 'queue_full', this.lost, last, false, Date.now() * 1e6, true] as LossRow] : []),
        ...(this.options.outlet ? [[this.edges.length - 1, 'overwritten', 17, null, true, Date.now() * 1e6, false] as LossRow] : []),
      ],
      loss: {
        state: this.lost ? 'losing' : 'nothing', newest: this.lost ? 0 : null, at_ns: this.lost ? Date.now() * 1e6 : null,
        text: this.lost ? `queue full on ${this.edges[last - 1]!.from} -> ${this.edges[last - 1]!.to}` : null, acknowledged: null,
      },
    };
  }

  // ---- Requests ----

  private async answer(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://mock');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = text ? (JSON.parse(text) as Record<string, unknown>) : {};
    const method = request.method ?? 'GET';
    if (method !== 'GET') this.requests.push({ method, path: url.pathname, body });
    const json = (status: number, value: unknown) =>
      answer.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    const [, api, , what = '', name = ''] = url.pathname.split('/').map(decodeURIComponent);
    if (api !== 'api') return this.file(url.pathname, answer);
    if (what === 'describe') return void json(200, this.describe());
    if (what === 'session') return void json(200, { ...this.rights(), host: request.headers.host ?? null });
    if (what === 'control') return void json(200, { holder: null, watching: this.peers.size });
    if (what === 'hosts') return void json(200, { hosts: this.options.hosts ?? [] });
    if (what === 'nodes' && !name) return void json(200, { version: this.version, nodes: this.nodes.map((n) => this.now(n.name)) });
    if (what === 'nodes' && method === 'PATCH') return this.patch(name, body.set as Values, json);
    if (what === 'nodes') return void json(200, this.now(name));
    if (what === 'settings') return void json(200, name ? { settings: this.settings() } : this.settings());
    if (what === 'pipeline') return void json(200, this.pipeline());
    if (what === 'report') return void json(200, { ledger_closed: true });
    if (what === 'history') return this.history(url, answer, json);
    if (what === 'files') return void json(200, { version: this.version, writers: [], files: [] });
    if (what === 'runs' && !name) return void json(200, this.recorded());
    if (what === 'views' && method === 'GET') return name === '2' ? this.table(url, answer) : this.picture(url, answer);
    const id = String(body.from).startsWith('HITS') ? '2' : '1';
    if (what === 'views') return void json(method === 'POST' ? 201 : 200, { id, url: `/api/v1/views/${id}` });
    json(404, { error: { status: 404, message: `there is no ${url.pathname}` } });
  }

  private pipeline() {
    const nodes = this.nodes.map(({ name, type }) => `  ${name}: {type: ${type}}\n`).join('');
    const file = `# A run that is only spoken of.\nnodes:\n${nodes}`;
    const name = this.nodes[1]!.name;
    const now = file.replace('{type: roi}', '{type: roi, params: {min_x: 7}}');
    const differences = [{ node: name, what: 'min_x', was: '0', now: '7' }];
    return { name: 'mock.yaml', file, now, differences, notes: [`${name} is turned off in the run`], problem: null, problems: [] };
  }

  /** The values that differ, as the settings of the run. */
  private settings() {
    const file = (node: NodeInfo, param: string) => node.file?.[param] ?? node.initial[param]!;
    const values = this.nodes.flatMap((node) =>
      Object.entries(this.values[node.name]!)
        .filter(([param, value]) => node.initial[param] !== undefined && JSON.stringify(value) !== JSON.stringify(file(node, param)))
        .map(([key, value]) => ({ node: node.name, key, value, file: file(node, key), source: 'settings', by: 'ada', at: '' })));
    return { file: '/data/mock.settings.json', problem: null, saved_at: null, values, not_restored: [], problems: [] };
  }

  private describe() {
    const graph = { kind: 'graph', graph: 1, edges: this.edges };
    return { api: 1, version: '0.1.0', run: this.run(), nodes: this.nodes, types: this.types, graph, rights: this.rights() };
  }

  private recorded() {
    const name = this.options.longNames ? 'a_run_with_a_name_that_is_longer_than_anybody_would_want_to_type' : 'e236';
    const runs = Array.from({ length: 60 }, (_, i) => ({
      path: `/data/${i}/${name}-r000${i}.xtc`, name: `${name}-r000${i}.xtc`, folder: `/data/${i}`, files: 1 + (i % 3), bytes: 1e9 * i,
      modified_ns: (Date.now() - i * 1e6) * 1e6, growing: i === 0,
    }));
    return { folders: ['/data'], cut: false, runs, analyses: [], traces: [], others: [] };
  }

  private now(name: string) {
    return {
      name, version: this.version, enabled: true, sends: true, acquiring: true, busy: true, input: null, inputs: [], values: this.values[name] ?? {},
    };
  }

  private patch(name: string, set: Values, json: (status: number, value: unknown) => void): void {
    const refused = Object.entries(set).find(([param, value]) => param.startsWith('bin_') && Number(value) < 1);
    if (refused) {
      const message = `\`${refused[0]}\`: wanted 1 to 1024, found ${refused[1] as Value}`;
      return json(422, { error: { status: 422, message, param: refused[0] } });
    }
    Object.assign(this.values[name]!, set);
    this.say({ kind: 'values', version: this.version, nodes: { [name]: set } });
    this.say({ kind: 'log', left_out: 0, entries: [this.entry(name, Object.entries(set).map(([k, v]) => `${k} = ${String(v)}`).join(', '))] });
    json(200, this.now(name));
  }

  private history(url: URL, answer: ServerResponse, json: (status: number, value: unknown) => void): void {
    const names = url.searchParams.get('of')?.split(',');
    if (!names) {
      const series = ['run.hz', 'run.cpu', ...this.nodes.flatMap((node) => [`${node.name}.hz`, `${node.name}.queued`])];
      return json(200, { series: series.map((name) => ({ name, unit: name.endsWith('hz') ? 'Hz' : '' })) });
    }
    const since = Number(url.searchParams.get('since_ms') ?? Date.now() - 600_000);
    const rows = Math.max(0, Math.min(600, Math.floor((Date.now() - since) / 1000)));
    const message = Buffer.alloc(16 + rows * 8 + names.length * rows * 4);
    [1, names.length, rows, 0].forEach((n, i) => message.writeUInt32LE(n, i * 4));
    for (let row = 0; row < rows; row++) message.writeDoubleLE(since + (row + 1) * 1000, 16 + row * 8);
    names.forEach((_, i) => {
      for (let row = 0; row < rows; row++) message.writeFloatLE(100 * (i + 1) + (row % 7), 16 + rows * 8 + (i * rows + row) * 4);
    });
    answer.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(message);
  }

  /** Rings of counts; the same picture always, so that its pixels can be compared. */
  private picture(url: URL, answer: ServerResponse): void {
    if (this.options.pictures === false || url.searchParams.get('after') === '7') {
      setTimeout(() => answer.writeHead(204).end(), 200);
      return;
    }
    const message = Buffer.alloc(64 + this.size * this.height * 2);
    message.set([1, 1, 1, 3, 0, 0]);
    message.writeBigUInt64LE(7n, 8);
    for (const [at, value] of [[24, this.size], [28, this.height], [44, this.size], [48, this.height], [60, this.size * this.height * 2]] as const) {
      message.writeUInt32LE(value, at);
    }
    message.writeUInt16LE(1, 40);
    message.writeUInt16LE(1, 42);
    const pixels = new Uint16Array(message.buffer, message.byteOffset + 64, this.size * this.height);
    pixels.forEach((_, i) => (pixels[i] = counts(i % this.size, Math.floor(i / this.size), this.size)));
    answer.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Livetime-Place': '0,1,0,0,1,0' }).end(message);
  }

  /** Hits along a track: three columns. */
  private table(url: URL, answer: ServerResponse): void {
    if (url.searchParams.get('after') === '9') {
      setTimeout(() => answer.writeHead(204).end(), 200);
      return;
    }
    const columns = [['start_time', 7, 8], ['channel', 3, 2], ['charge', 8, 4]] as const;
    const head = 2 + columns.reduce((sum, [name]) => sum + name.length + 6, 0);
    const places: number[] = [];
    let [at, place] = [Math.ceil(head / 8) * 8, 2];
    for (const [, , bytes] of columns) at = Math.ceil((places[places.push(at) - 1]! + HITS * bytes) / 8) * 8;
    const message = Buffer.alloc(64 + at);
    message.set([1, 2, 0, 0, 0, 0]);
    message.writeBigUInt64LE(9n, 8);
    for (const [where, value] of [[24, 3], [28, HITS], [44, 3], [48, HITS], [60, at]] as const) message.writeUInt32LE(value, where);
    message.writeUInt16LE(columns.length, 64);
    columns.forEach(([name, dtype], i) => {
      message.writeUInt8(name.length, 64 + place);
      message.write(name, 64 + place + 1, 'latin1');
      message.writeUInt8(dtype, 64 + place + 1 + name.length);
      message.writeUInt32LE(places[i]!, 64 + place + 2 + name.length);
      place += name.length + 6;
    });
    for (let hit = 0; hit < HITS; hit++) {
      message.writeBigUInt64LE(2n ** 60n + BigInt(hit * 25), 64 + places[0]! + hit * 8);
      message.writeUInt16LE(100 + hit * 2, 64 + places[1]! + hit * 2);
      message.writeFloatLE(40 + (hit % 9) * 100, 64 + places[2]! + hit * 4);
    }
    answer.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(message);
  }

  private async file(path: string, answer: ServerResponse): Promise<void> {
    const name = normalize(join(DIST, path === '/' ? 'index.html' : path));
    try {
      if (!name.startsWith(DIST)) throw new Error('outside');
      answer.writeHead(200, { 'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream' }).end(await readFile(name));
    } catch {
      answer.writeHead(404).end();
    }
  }
}

/** The value of one pixel of the mock's picture. */
export function counts(x: number, y: number, size: number): number {
  const r = Math.hypot(x - size * 0.52, y - size * 0.49) / size;
  return Math.round(40 + 900 * Math.exp(-r * 14) + 600 * Math.exp(-(((r % 0.11) - 0.055) ** 2) / 0.0002) * Math.exp(-r * 3) + ((x * 7 + y * 13) % 17));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [port = '8091', kind = ''] = process.argv.slice(2);
  const KINDS: Record<string, MockOptions> = {
    many: { branches: 25 }, long: { longNames: true }, deep: { chain: 14 }, wires: { size: 2560, height: 32, branches: 1 }, hits: { arrays: false, tables: true },
  };
  const mock = new MockRun(KINDS[kind] ?? {});
  mock.lost = kind === 'many' ? 12 : 0;
  console.log(await mock.listen(Number(port)));
}
