/** The state of each link in the ledger of links. Pure functions. */

import type { Values } from '../../link/protocol';

export interface LinkState {
  link: number;
  good: number;
  absentS: number;
  corruptS: number;
  /** Faults and reasons, in the ledger's words; empty when all is well. */
  faults: string;
}

/** From the readbacks of a node `link_ledger`. */
export function linksOf(values: Values | undefined): LinkState[] {
  const list = (name: string) => (Array.isArray(values?.[name]) ? (values[name] as number[]) : []);
  const faults = new Map(
    String(values?.faults ?? '').split('; ').map((text): [number, string] => {
      const [link = '', ...words] = text.split(': ');
      return [Number(link), words.join(': ')];
    }),
  );
  const [good, absent, corrupt] = [list('good_percent'), list('absent_s'), list('corrupt_s')];
  return list('links').map((link, i) => ({
    link, good: good[i] ?? 0, absentS: absent[i] ?? 0, corruptS: corrupt[i] ?? 0, faults: faults.get(link) ?? '',
  }));
}

/** Pieces of missing time by reason, in words: `1 200 ticks never received`. */
export function missingInWords(missing: readonly { begin: number; end: number; why: string }[], count: (n: number) => string): string {
  const ticks = new Map<string, number>();
  for (const { begin, end, why } of missing) ticks.set(why, (ticks.get(why) ?? 0) + end - begin);
  return [...ticks].map(([why, n]) => `${count(n)} ticks ${why.replaceAll('_', ' ')}`).join(', ');
}
