/** Series over time as the page keeps them: columns that grow at the end and are cut at the start. Pure. */

import type { History } from '../link/wire';

export class Series {
  times: number[] = [];
  readonly columns: (number | null)[][];

  constructor(readonly names: readonly string[], private readonly keepMs: number) {
    this.columns = names.map(() => []);
  }

  get lastMs(): number {
    return this.times.at(-1) ?? 0;
  }

  /** Adds points that are newer than the present ones. A value that is not a number becomes a gap. */
  add(history: History): void {
    const last = this.lastMs;
    history.times.forEach((time, row) => {
      if (time <= last) return;
      this.times.push(time);
      this.columns.forEach((column, i) => {
        const value = history.series[i]?.[row];
        column.push(value === undefined || Number.isNaN(value) ? null : value);
      });
    });
    this.cut();
  }

  private cut(): void {
    const first = this.times.findIndex((time) => time >= this.lastMs - this.keepMs);
    if (first <= 0) return;
    this.times.splice(0, first);
    for (const column of this.columns) column.splice(0, first);
  }

  /** Rows thinned to at most `most`, each the largest of the rows it replaces, so that a peak never vanishes. */
  thinned(most: number): { times: number[]; columns: (number | null)[][] } {
    const step = Math.ceil(this.times.length / Math.max(1, most));
    if (step <= 1) return { times: this.times, columns: this.columns };
    const largest = (column: (number | null)[], from: number) => {
      let found: number | null = null;
      for (const value of column.slice(from, from + step)) {
        if (value !== null && (found === null || value > found)) found = value;
      }
      return found;
    };
    const starts = Array.from({ length: Math.ceil(this.times.length / step) }, (_, i) => i * step);
    return {
      times: starts.map((from) => this.times[from] as number),
      columns: this.columns.map((column) => starts.map((from) => largest(column, from))),
    };
  }
}
