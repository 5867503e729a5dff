/** The run as this page knows it: the content of the state socket, in values that the screens follow. */

import { HIDDEN_HZ, SEEN_HZ, StateSocket, type LinkState } from '../link/socket';
import { hostOf } from '../link/door';
import * as rest from '../link/rest';
import { whyNothingComes } from './reach';
import type {
  Control, Described, Entry, Graph, Message, Moment, NodeInfo, NodeNow, NodeType, ParamSpec, Rights, RunInfo, Times, Value, Values,
} from '../link/protocol';

// Lines of the log that the page keeps; the server has the rest.
const KEPT_ENTRIES = 500;
const NOBODY: Control = { holder: null, watching: 0 };
const STRANGER: Rights = { read: true, write: false, user: '', in_control: false };

export class RunModel {
  link = $state.raw<LinkState>('connecting');
  linkReason = $state.raw('');
  /** Whether live values have ever come. */
  heard = $state.raw(false);
  /** When the last message came, in ms since 1970. */
  goneSince = $state.raw(0);
  described = $state.raw<Described | null>(null);
  graph = $state.raw<Graph>({ graph: 0, edges: [] });
  moment = $state.raw<Moment | null>(null);
  times = $state.raw<Times | null>(null);
  control = $state.raw<Control>(NOBODY);
  rights = $state.raw<Rights>(STRANGER);
  log = $state.raw<Entry[]>([]);
  logLeftOut = $state.raw(0);
  /** Values of watched nodes, and of others as they were when they were asked for last. */
  values = $state.raw<Record<string, Values>>({});
  /** Nodes' values beside their parameters; requested again when they may have changed. */
  nodesNow = $state.raw<Record<string, NodeNow>>({});
  /** The report of a run that has ended. */
  ended = $state.raw<{ failure: string | null } | null>(null);
  problem = $state.raw('');
  /** How far the page is behind the server, in ms; clocks that differ are taken out by the smallest distance seen. */
  behindMs = $state.raw(0);

  /** Called as soon as the nodes of the run are known, before any screen is made of them. */
  whenDescribed: () => void = () => {};

  private socket: StateSocket | null = null;
  private smallestDistance = Infinity;
  private watchers = new Map<symbol, string[]>();
  private watching: string[] = [];
  private describing: Promise<void> | null = null;

  readonly byName = $derived(new Map((this.described?.nodes ?? []).map((node, i) => [node.name, i])));
  readonly mayWrite = $derived(this.rights.write && this.link === 'open');

  start(): void {
    const url = new URL('api/v1/state', location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    // A socket's address must have no fragment.
    url.hash = '';
    const state = (link: LinkState, reason: string) => this.follow(link, reason);
    this.socket = new StateSocket(url.href, { message: (message) => this.take(message), state });
    // Screens may have set their watched values, and the page may be hidden, before the socket exists.
    this.socket.watch(this.watching);
    // A hidden page needs few moments, but enough to be right at once when it is seen.
    this.socket.setPace(document.hidden ? HIDDEN_HZ : SEEN_HZ);
    this.socket.open();
    const seen = () => {
      this.socket?.setPace(document.hidden ? HIDDEN_HZ : SEEN_HZ);
      if (!document.hidden) this.socket?.hurry();
    };
    document.addEventListener('visibilitychange', seen);
    addEventListener('online', () => this.socket?.hurry());
  }

  // ---- The known state ----

  get run(): RunInfo | null {
    return this.described?.run ?? null;
  }

  get nodes(): NodeInfo[] {
    return this.described?.nodes ?? [];
  }

  node(name: string): NodeInfo | undefined {
    return this.nodes[this.byName.get(name) ?? -1];
  }

  typeOf(name: string): NodeType | undefined {
    return this.described?.types[this.node(name)?.type ?? ''];
  }

  spec(name: string, param: string): ParamSpec | undefined {
    return this.typeOf(name)?.params.find((spec) => spec.name === param);
  }

  value(name: string, param: string): Value | undefined {
    return this.values[name]?.[param];
  }

  /** The value of the pipeline file, or of the command line. */
  inFile(name: string, param: string): Value | undefined {
    const node = this.node(name);
    return node?.file?.[param] ?? node?.initial[param];
  }

  /** The output that feeds a node's first input, as `detector.out`. */
  inputOf(name: string): string | undefined {
    return this.edgeTo(name)?.from;
  }

  edgeTo(name: string) {
    const number = this.byName.get(name);
    return this.graph.edges.find((edge) => edge.nodes[1] === number && edge.open);
  }

  edgesTo(name: string) {
    const number = this.byName.get(name);
    return this.graph.edges.filter((edge) => edge.nodes[1] === number && edge.open);
  }

  // ---- Requests ----

  /** Lets the server send the values of these nodes until the returned function is called. */
  watch(names: string[]): () => void {
    const key = Symbol();
    this.watchers.set(key, names);
    this.tellWatched();
    return () => {
      this.watchers.delete(key);
      this.tellWatched();
    };
  }

  private tellWatched(): void {
    const names = [...new Set([...this.watchers.values()].flat())].sort();
    // Most changes of screens watch the same nodes.
    if (names.join('\n') === this.watching.join('\n')) return;
    this.watching = names;
    this.socket?.watch(names);
  }

  /** A node as an answer said it is; the socket will say the same a little later. */
  learn(node: NodeNow): void {
    this.values = { ...this.values, [node.name]: { ...this.values[node.name], ...node.values } };
    this.nodesNow = { ...this.nodesNow, [node.name]: node };
  }

  /** Asks for all values of all nodes, once. */
  async learnAll(): Promise<void> {
    const { nodes } = await rest.nodes();
    this.values = Object.fromEntries(nodes.map((node) => [node.name, { ...this.values[node.name], ...node.values }]));
    this.nodesNow = Object.fromEntries(nodes.map((node) => [node.name, node]));
  }

  /** Asks for the nodes of the run. Calls during a request share it. */
  describe(): Promise<void> {
    return (this.describing ??= this.ask().finally(() => (this.describing = null)));
  }

  private async ask(): Promise<void> {
    try {
      this.described = await rest.describe();
      this.graph = this.described.graph;
      this.problem = '';
      this.whenDescribed();
    } catch (problem) {
      this.problem = (problem as Error).message;
    }
  }

  // ---- Messages from the server ----

  private follow(link: LinkState, reason: string): void {
    // A server whose run had ended may close: nothing is missing.
    if (link === 'gone' && this.moment !== null && this.moment.state !== 'running') return this.finish();
    // The first loss counts: later tries do not begin the time anew.
    if (link === 'gone' && this.link !== 'gone' && this.goneSince === 0) this.goneSince = Date.now();
    if (link === 'open') [this.goneSince, this.heard] = [0, true];
    // A page that was never connected explains itself; a proxy may let requests through and no socket.
    if (link === 'gone' && !this.heard) void this.explain();
    // While it tries again, the connection is still gone.
    if (link !== 'connecting' || this.goneSince === 0) this.link = link;
    if (reason) this.linkReason = reason;
  }

  /** Ends the page's connection after the run: the last state stays, and nothing more is asked of the server. */
  private finish(): void {
    this.link = 'ended';
    this.socket?.close();
  }

  private async explain(): Promise<void> {
    try {
      // The server of this page knows why another host does not answer.
      if (hostOf(location.pathname)) {
        await this.describe();
        if (this.problem || this.heard) return;
      }
      const { host } = await rest.session();
      if (!this.heard) this.problem = whyNothingComes(host, location.host);
    } catch (problem) {
      this.problem = (problem as Error).message;
    }
  }

  private take(message: Message): void {
    switch (message.kind) {
      case 'hello':
        return this.greet(message.run, message.rights);
      case 'graph':
        this.graph = message;
        return;
      case 'control':
        this.control = message;
        return;
      case 'moment':
        this.moment = message;
        return this.measure(message.at_ns / 1e6);
      case 'times':
        this.times = message;
        return;
      case 'values':
        return this.merge(message.nodes);
      case 'log':
        return this.append(message.entries, message.left_out);
      case 'end':
        this.ended = message.report;
        this.finish();
    }
  }

  // After a reconnection the log comes again from its begin, and the clock may be another one.
  private greet(run: RunInfo, rights: Rights): void {
    this.rights = rights;
    this.ended = null;
    this.log = [];
    this.smallestDistance = Infinity;
    // Another run: values and moments of the old one must not be seen beside the new nodes.
    if (run.id !== this.run?.id) {
      [this.values, this.nodesNow, this.moment, this.times] = [{}, {}, null, null];
      void this.learnRun(run.id);
    }
  }

  /** An answer that was under way may be of the run before, or a refusal from before the session. */
  private async learnRun(id: string): Promise<void> {
    await this.describe();
    if (this.run?.id !== id) await this.describe();
  }

  private merge(nodes: Record<string, Values>): void {
    const values = { ...this.values };
    for (const [name, changed] of Object.entries(nodes)) values[name] = { ...values[name], ...changed };
    this.values = values;
  }

  private append(entries: Entry[], leftOut: number): void {
    // Entries may come twice around a reconnection.
    const last = this.log.at(-1)?.number ?? -1;
    this.log = [...this.log, ...entries.filter((entry) => entry.number > last)].slice(-KEPT_ENTRIES);
    this.logLeftOut += leftOut;
  }

  private measure(atMs: number): void {
    const distance = Date.now() - atMs;
    // The smallest distance is the difference of the clocks; everything above it is delay.
    this.smallestDistance = Math.min(this.smallestDistance, distance);
    this.behindMs = Math.max(0, distance - this.smallestDistance);
  }
}

export const run = new RunModel();
