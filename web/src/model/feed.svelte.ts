/** History of some series from the server: first the past, then new points, once a second while the page is visible. */

import { untrack } from 'svelte';
import { history } from '../link/rest';
import { run } from './run.svelte';
import { Series } from './series';

const PERIOD_MS = 1_000;

/** By the clock of the server; 0, which is all that it keeps, while that is not known. */
const beginOf = (keepMs: number) => {
  const now = untrack(() => run.moment);
  return now ? Math.max(0, now.at_ns / 1e6 - keepMs) : 0;
};

/** Calls `show` with the series whenever there are new points; returns the function that ends it. */
export function follow(
  names: readonly string[], step: 'fine' | 'coarse', keepMs: number, show: (series: Series, problem: string) => void,
): () => void {
  const series = new Series(names, keepMs);
  let timer: ReturnType<typeof setTimeout>;
  let ended = false;
  const look = async () => {
    if (!document.hidden && run.link === 'open') {
      try {
        const { unknown, ...more } = await history(names, step, series.lastMs || beginOf(keepMs));
        series.add(more);
        if (!ended) show(series, unknown && `The server keeps no history of ${unknown.replaceAll(',', ', ')}.`);
      } catch (problem) {
        if (!ended) show(series, (problem as Error).message);
      }
    }
    if (!ended) timer = setTimeout(look, PERIOD_MS);
  };
  void look();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
