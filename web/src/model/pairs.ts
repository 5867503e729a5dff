/** Two values over time as points of one against the other. Pure functions. */

import type { Columns } from './columns';

type Column = readonly (number | null)[];

/** The moments at which both are known; `age` is 0 for the oldest and 1 for the newest. */
export function pairs(x: Column, y: Column): Columns {
  const rows = x.flatMap((value, i) => (value !== null && (y[i] ?? null) !== null ? [i] : []));
  const last = Math.max(1, rows.length - 1);
  return new Map([
    ['x', Float64Array.from(rows, (i) => x[i]!)], ['y', Float64Array.from(rows, (i) => y[i]!)],
    ['age', Float64Array.from(rows, (_, n) => n / last)],
  ]);
}

/** How well a straight line describes the points, from -1 to 1; `null` where one of the two does not change. */
export function correlation(points: Columns): number | null {
  const [x, y] = [points.get('x') as Float64Array, points.get('y') as Float64Array];
  const n = x.length;
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / n;
  const [mx, my] = [mean(x), mean(y)];
  let [xx, yy, xy] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const [dx, dy] = [x[i]! - mx, y[i]! - my];
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return n > 1 && xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : null;
}
