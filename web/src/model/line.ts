/** A line across a picture, and the values along it. Pure functions. */

import type { Pixels } from './contrast';

/** Both ends, in pixels of the whole array. */
export interface Line {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

const MOST_VALUES = 4096;

export const lengthOf = ({ x0, y0, x1, y1 }: Line) => Math.hypot(x1 - x0, y1 - y0);

/** From the address: `10,20,300,40`. */
export function readLine(text: string): Line | null {
  const numbers = text.split(',').map((part) => (part === '' ? NaN : Number(part)));
  const [x0, y0, x1, y1] = numbers;
  return numbers.length === 4 && numbers.every(Number.isFinite) ? { x0: x0!, y0: y0!, x1: x1!, y1: y1! } : null;
}

export const writeLine = ({ x0, y0, x1, y1 }: Line) => [x0, y0, x1, y1].map((n) => Math.round(n)).join(',');

/** Where a picture lies in the array: its corner, pixels of the array for one of it, and its size. */
export interface Lies {
  x: number;
  y: number;
  binX: number;
  binY: number;
  width: number;
  height: number;
  colours: number;
}

/** The pixels that the line goes through, from end to end; NaN outside of the picture. Of colours the first. */
export function valuesAlong(line: Line, lies: Lies, pixels: Pixels): Float32Array<ArrayBuffer> {
  const steps = Math.ceil(Math.max(Math.abs(line.x1 - line.x0) / lies.binX, Math.abs(line.y1 - line.y0) / lies.binY));
  const n = Math.min(MOST_VALUES, Math.max(1, steps) + 1);
  const values = new Float32Array(n);
  for (let i = 0; i < n; i++) {
    const part = i / (n - 1);
    const column = Math.floor((line.x0 + 0.5 + (line.x1 - line.x0) * part - lies.x) / lies.binX);
    const row = Math.floor((line.y0 + 0.5 + (line.y1 - line.y0) * part - lies.y) / lies.binY);
    const inside = column >= 0 && row >= 0 && column < lies.width && row < lies.height;
    values[i] = inside ? Number(pixels[(row * lies.width + column) * lies.colours]) : NaN;
  }
  return values;
}

/** Smallest, largest and mean of the values that are numbers; `null` when none is. */
export function summary(values: Float32Array): { min: number; max: number; mean: number } | null {
  let [min, max, sum, n] = [Infinity, -Infinity, 0, 0];
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
    n++;
  }
  return n > 0 ? { min, max, mean: sum / n } : null;
}
