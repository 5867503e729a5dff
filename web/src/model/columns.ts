/** Columns of tables, as hits and triggers come in: which are drawn against each other, and their values as numbers. Pure functions. */

import type { Pixels } from './contrast';

export type Columns = Map<string, Pixels>;

const TIMES = ['start', 'time', 'begin', 'tick'];
const PLACES = ['channel', 'wire', 'link'];
const SIZES = ['sum', 'charge', 'adc', 'peak'];

const firstLike = (names: readonly string[], wanted: readonly string[]) =>
  wanted.map((word) => names.find((name) => name.includes(word))).find(Boolean);

/** Time across, wire up, charge as colour, by the names of the columns; else the first three. */
export function usual(names: readonly string[]): { x: string; y: string; colour: string } {
  const x = firstLike(names, TIMES) ?? names[0] ?? '';
  const y = firstLike(names.filter((name) => name !== x), PLACES) ?? names.find((name) => name !== x) ?? '';
  return { x, y, colour: firstLike(names.filter((name) => name !== x && name !== y), SIZES) ?? '' };
}

export interface Values {
  values: Float64Array;
  /** The number that was subtracted from each value, because a 64-bit time has more digits than a number of the
   * browser; `0` for others. */
  from: string;
}

/** A column as numbers. 64-bit ones count from their smallest. */
export function numbers(column: Pixels): Values {
  if (!(column instanceof BigInt64Array || column instanceof BigUint64Array)) {
    return { values: Float64Array.from(column as Float64Array), from: '0' };
  }
  let smallest = column[0] ?? 0n;
  for (const value of column) if (value < smallest) smallest = value;
  return { values: Float64Array.from(column as BigInt64Array, (value) => Number(value - smallest)), from: smallest.toString() };
}

/** From the smallest to the largest number that is one. */
export function extent(values: Float64Array): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

/** Tables of the same columns one after the other, as one. */
export function joined(tables: readonly Columns[]): Columns {
  const last = tables.at(-1);
  if (!last || tables.length === 1) return last ?? new Map();
  const all: Columns = new Map();
  for (const [name, column] of last) {
    const parts = tables.map((table) => table.get(name)).filter((part) => part?.constructor === column.constructor) as Uint8Array[];
    const whole = new (column.constructor as Uint8ArrayConstructor)(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    all.set(name, whole);
  }
  return all;
}
