/** How far back charts show, kept in the address. */

import { place } from './place.svelte';

interface Past {
  key: string;
  title: string;
  spanMs: number;
  /** Ten values a second are kept for ten minutes, one in ten seconds for twelve hours. */
  step: 'fine' | 'coarse';
}

const MINUTE_MS = 60_000;
export const PASTS: readonly [Past, ...Past[]] = [
  { key: '', title: '1 min', spanMs: MINUTE_MS, step: 'fine' },
  { key: '10min', title: '10 min', spanMs: 10 * MINUTE_MS, step: 'fine' },
  { key: '1h', title: '1 h', spanMs: 60 * MINUTE_MS, step: 'coarse' },
  { key: '12h', title: '12 h', spanMs: 720 * MINUTE_MS, step: 'coarse' },
];

export const past = (): Past => PASTS.find(({ key }) => key === place.get('past')) ?? PASTS[0];
