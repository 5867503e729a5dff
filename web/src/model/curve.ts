/** Curves of many points on a screen of few pixels. Pure functions. */

export interface Range {
  low: number;
  high: number;
}

/** The range of all values that are numbers, with some room; never empty. */
export function rangeOf(values: ArrayLike<number>, room = 0): Range {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return { low: 0, high: 1 };
  if (low === high) return { low: low - 0.5, high: high + 0.5 };
  const more = (high - low) * room;
  return { low: low - more, high: high + more };
}

/**
 * A path through the points, in a box of `width` by `height`. Of many points that share a column of pixels the lowest and the highest
 * are kept, so that no peak is lost; points that are no numbers are gaps.
 */
export function pathOf(x: ArrayLike<number>, y: ArrayLike<number>, xs: Range, ys: Range, width: number, height: number): string {
  const px = (value: number) => ((value - xs.low) / (xs.high - xs.low)) * width;
  const py = (value: number) => height - ((value - ys.low) / (ys.high - ys.low)) * height;
  const each = Math.max(1, Math.floor(y.length / Math.max(1, width)));
  const parts: string[] = [];
  let pen = 'M';
  const to = (i: number) => {
    parts.push(`${pen}${px(x[i]!).toFixed(1)} ${py(y[i]!).toFixed(1)}`);
    pen = 'L';
  };
  for (let from = 0; from < y.length; from += each) {
    let [low, high] = [-1, -1];
    for (let i = from; i < Math.min(y.length, from + each); i++) {
      if (!Number.isFinite(y[i]) || !Number.isFinite(x[i])) continue;
      if (low < 0 || y[i]! < y[low]!) low = i;
      if (high < 0 || y[i]! > y[high]!) high = i;
    }
    if (low < 0) pen = 'M';
    else if (low === high) to(low);
    else [Math.min(low, high), Math.max(low, high)].forEach(to);
  }
  return parts.join('');
}

/** The number of the point whose x is nearest. */
export function nearest(x: ArrayLike<number>, at: number): number {
  let best = 0;
  for (let i = 1; i < x.length; i++) if (Math.abs(x[i]! - at) < Math.abs(x[best]! - at)) best = i;
  return best;
}
