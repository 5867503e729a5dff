/** The hosts of a graph in words. Nothing is said of losses that nobody knows. Pure functions. */

import type { HostState } from '../link/protocol';
import { count, timeOfDay } from './units';

/** From the worst on. `unknown`: it was never heard of; `gone`: it has been there. */
export const TONES = ['failed', 'gone', 'losing', 'unknown', 'lost', 'ended', 'up'] as const;
export type Tone = (typeof TONES)[number];

export function toneOf(host: HostState): Tone {
  if (!host.reachable) return host.heard_ns === null ? 'unknown' : 'gone';
  if (host.state === 'failed' || host.closed === false) return 'failed';
  if (host.losses === 'losing') return 'losing';
  if (host.losses === 'has_lost' || (host.in_doubt ?? 0) > 0) return 'lost';
  return host.state === 'running' ? 'up' : 'ended';
}

/** One host in a sentence. */
export function inWords(host: HostState): string {
  if (!host.reachable) {
    const gone = host.heard_ns === null ? 'never heard of' : `gone since ${timeOfDay(host.since_ns / 1e6)}`;
    return `${gone}, its losses are unknown: ${host.why ?? 'it does not answer'}`;
  }
  const words = { nothing: 'nothing lost', losing: 'losing now', has_lost: 'has lost', acknowledged: 'has lost, acknowledged' };
  const lost = (host.unintended ?? 0) > 0 ? ` (${count(host.unintended)}${host.text ? `: ${host.text}` : ''})` : '';
  const parts = [
    host.failure ? `failed: ${host.failure}` : (host.state ?? 'unknown'),
    (host.losses ? words[host.losses] : 'losses unknown') + lost,
    (host.in_doubt ?? 0) > 0 ? `${count(host.in_doubt)} frames in doubt` : '',
    host.closed === false ? 'its ledger is open' : '',
  ];
  return parts.filter(Boolean).join(', ');
}

/** The whole graph: the worst host by name, and how many are up. */
export function wholeInWords(hosts: readonly HostState[]): { tone: Tone; text: string } {
  const tones = hosts.map(toneOf);
  const tone = TONES.find((known) => tones.includes(known)) ?? 'unknown';
  const up = hosts.filter((host) => host.reachable).length;
  const answer = up === hosts.length ? `all ${up} hosts answer` : `${up} of ${hosts.length} hosts answer`;
  const worst = hosts[tones.indexOf(tone)];
  // Only here every host has said that it lost nothing.
  if (tone === 'up' && hosts.every((host) => host.losses === 'nothing')) return { tone, text: `${answer}, nothing lost` };
  return { tone, text: worst ? `${answer} · ${worst.name}: ${inWords(worst)}` : answer };
}

/** What is known when this page's own server does not answer. */
export const unheard = (hosts: readonly HostState[], nowMs: number): HostState[] =>
  hosts.map((host) => ({
    ...host, state: null, failure: null, losses: null, text: null, unintended: null, in_doubt: null, frames: null, closed: null,
    reachable: false, code: 'door', why: 'the server of this page does not answer',
    since_ns: host.reachable ? nowMs * 1e6 : host.since_ns,
  }));
