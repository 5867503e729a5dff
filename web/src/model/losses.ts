/** What was lost where and why. Pure functions. */

import type { Edge, Graph, Moment } from '../link/protocol';

/** Reasons that somebody asked for; all others are unintended. */
const INTENDED = new Set(['decimated', 'rate_limited', 'closed']);

export interface Loss {
  /** Time of day in ms; 0 when it was before this page looked. */
  atMs: number;
  reason: string;
  /** The node that did not get the frames. */
  place: string;
  count: number;
}

export const isIntended = (reason: string) => INTENDED.has(reason);

/** `rate_limited` as `rate limited`. */
export const inWords = (name: string) => name.replaceAll('_', ' ');

export const receiver = (edge: Edge | undefined) => edge?.to.split('.')[0] ?? '';

/** The largest unintended loss that is new in `now`; at the first moment, the largest there is. */
export function newestLoss(before: Moment | null, now: Moment, graph: Graph): Loss | null {
  const known = new Map(before?.losses.map(([edge, reason, count]) => [`${edge} ${reason}`, count]));
  let found: Loss | null = null;
  for (const [edge, reason, count] of now.losses) {
    const more = count - (known.get(`${edge} ${reason}`) ?? 0);
    // What pages are not shown is left out as asked, whatever the reason.
    const isPage = graph.edges[edge]?.nodes[1] === null;
    if (isPage || isIntended(reason) || more <= (found?.count ?? 0)) continue;
    found = { atMs: before ? now.at_ns / 1e6 : 0, reason, place: receiver(graph.edges[edge]), count: more };
  }
  return found;
}
