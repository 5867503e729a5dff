/** Requests to the server. An answer that is an error becomes an `ApiError` with the server's own sentence. */

import { atHost } from './door';
import type { Control, Described, HostState, NodeNow, RecordEntry, Rights, SavedPipeline, Settings, TriggerRecord, Values } from './protocol';
import { readHistory, type History } from './wire';

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** The parameter that was refused, if one was. */
    readonly param?: string,
    readonly values?: Values,
  ) {
    super(message);
  }
}

/** How long the server may take to answer; a node that hangs takes it 5 s to say so. */
const LIMIT_MS = 15_000;

export async function request(method: string, path: string, body?: unknown): Promise<Response> {
  const init: RequestInit = { method, credentials: 'same-origin', signal: AbortSignal.timeout(LIMIT_MS) };
  // A body in every change: the server refuses other types, which a form of a foreign page could send.
  if (method !== 'GET') {
    init.headers = { 'Content-Type': 'application/json' };
    init.body = JSON.stringify(body ?? {});
  }
  const answer = await fetch(atHost(path), init).catch((e: unknown) => {
    // Status 0: no answer at all.
    throw new ApiError(0, e instanceof DOMException ? 'the server did not answer in time' : 'the server cannot be reached');
  });
  if (answer.ok) return answer;
  throw await problem(answer);
}

async function problem(answer: Response): Promise<ApiError> {
  try {
    const { error } = (await answer.json()) as { error: { message: string; param?: string; values?: Values } };
    return new ApiError(answer.status, error.message, error.param, error.values);
  } catch {
    return new ApiError(answer.status, `the server answered ${answer.status} ${answer.statusText}`);
  }
}

const json = async <T>(method: string, path: string, body?: unknown) =>
  (await (await request(method, path, body)).json()) as T;

const node = (name: string) => `/api/v1/nodes/${encodeURIComponent(name)}`;

export const describe = () => json<Described>('GET', '/api/v1/describe');
export const nodes = () => json<{ version: number; nodes: NodeNow[] }>('GET', '/api/v1/nodes');
export const nodeNow = (name: string) => json<NodeNow>('GET', node(name));
/** All hosts of the graph, as the server of this page has found them; none of a run alone. */
export const hosts = () => json<{ hosts: HostState[] }>('GET', '/api/v1/hosts');
export const report = () => json<unknown>('GET', '/api/v1/report');
export const openSession = (token: string, user: string) => json<Rights>('POST', '/api/v1/session', { token, user });
/** The rights of this page, and the name by which the server was asked. */
export const session = () => json<Rights & { host: string | null }>('GET', '/api/v1/session');
/** Sets the name of the person with the token. */
export const nameSession = (user: string) => json<Rights>('PATCH', '/api/v1/session', { user });
export const closeSession = () => json<Rights>('DELETE', '/api/v1/session');
export const takeControl = (take: boolean) => json<Control>('POST', '/api/v1/control', { take });

/** All of `set` acts from the same frame, or nothing does. */
export const setParams = (name: string, set: Values, onlyIf?: Values) =>
  json<NodeNow>('PATCH', node(name), onlyIf ? { set, if: onlyIf } : { set });

export const command = (name: string, what: 'enable' | 'disable' | 'acquire' | 'abort') =>
  json<NodeNow>('POST', `${node(name)}/${what}`, what === 'acquire' ? { wait: false } : {});

export const setInput = (name: string, change: Record<string, unknown>) =>
  json<NodeNow>('PATCH', `${node(name)}/input`, change);

export const endRun = (how: 'stop' | 'abort', run: string) => json<unknown>('POST', `/api/v1/run/${how}`, { run });

/** Takes note of the losses that this page has shown. */
export const acknowledge = (unintended: number) => json<unknown>('POST', '/api/v1/losses/acknowledge', { unintended });

/** Null from a program that keeps no account of them. */
export const settings = () => json<Settings | null>('GET', '/api/v1/settings');
export const changeSettings = (how: 'save' | 'restore') =>
  json<{ settings: Settings | null }>('POST', `/api/v1/settings/${how}`);

export const pipeline = () => json<SavedPipeline>('GET', '/api/v1/pipeline');

const recordsAt = (from: string, number = '') => `/api/v1/records${number}?${new URLSearchParams({ from })}`;
/** The last trigger records of an output; the server takes them while it is asked. */
export const records = (from: string) => json<{ frames: number; records: RecordEntry[] }>('GET', recordsAt(from));
export const record = (from: string, number: number) => json<TriggerRecord>('GET', recordsAt(from, `/${number}`));

export const seriesNames = () => json<{ series: { name: string; unit: string }[]; problem?: string | null }>('GET', '/api/v1/history');

/** Series over time; `unknown` are series that the server does not keep, which have no values. */
export async function history(
  of: readonly string[], step: 'fine' | 'coarse', sinceMs: number,
): Promise<History & { unknown: string }> {
  const query = new URLSearchParams({ of: of.join(','), step });
  if (sinceMs > 0) query.set('since_ms', String(sinceMs));
  const answer = await request('GET', `/api/v1/history?${query}`);
  return { ...readHistory(await answer.arrayBuffer()), unknown: answer.headers.get('livetime-unknown') ?? '' };
}
