/** What is drawn on a picture, lines of a file that differ, pairs of values, and the account of links. */

import { expect, test } from 'vitest';
import { lengthOf, readLine, summary, valuesAlong, writeLine } from '../../src/model/line';
import { correlation, pairs } from '../../src/model/pairs';
import { drawnBy } from '../../src/model/roi';
import { linksOf, missingInWords } from '../../src/screens/trigger/links';
import { compared } from '../../src/screens/settings/lines';

test('a drawn region goes to a node that cuts nothing yet, else to the chosen one', () => {
  const input = { width: 100, height: 50 };
  const whole = { x: 0, y: 0, ...input };
  const small = { x: 3, y: 4, width: 5, height: 6 };
  const all = [{ name: 'A', region: small }, { name: 'B', region: whole }, { name: 'C', region: whole }];
  expect(drawnBy(all, 'A', input)).toBe('B');
  expect(drawnBy(all, 'C', input)).toBe('C');
  expect(drawnBy(all.slice(0, 1), 'elsewhere', input)).toBe('A');
  expect(drawnBy([{ name: 'A', region: small }, { name: 'D', region: small }], 'D', input)).toBe('D');
  expect(drawnBy([], 'A', input)).toBe(null);
});

test('a line is kept in the address', () => {
  const line = { x0: 1, y0: 2, x1: 31, y1: 42 };
  expect(readLine(writeLine(line))).toEqual(line);
  expect(lengthOf(line)).toBe(50);
  for (const wrong of ['', '1,2,3', '1,2,3,x', '1,2,3,4,5', ',,,']) expect(readLine(wrong), wrong).toBe(null);
});

test('values along a line are the pixels that it goes through', () => {
  const pixels = Uint16Array.from({ length: 8 * 6 }, (_, i) => (i % 8) + 10 * Math.floor(i / 8));
  const lies = { x: 0, y: 0, binX: 1, binY: 1, width: 8, height: 6, colours: 1 };
  expect([...valuesAlong({ x0: 1, y0: 2, x1: 4, y1: 2 }, lies, pixels)]).toEqual([21, 22, 23, 24]);
  expect([...valuesAlong({ x0: 2, y0: 5, x1: 2, y1: 3 }, lies, pixels)]).toEqual([52, 42, 32]);
  expect([...valuesAlong({ x0: 0, y0: 0, x1: 3, y1: 3 }, lies, pixels)]).toEqual([0, 11, 22, 33]);
  expect([...valuesAlong({ x0: 5, y0: 5, x1: 5, y1: 5 }, lies, pixels)]).toEqual([55, 55]);
  // A part of an array, binned by two: array pixels 10 to 25 across.
  const part = { ...lies, x: 10, y: 20, binX: 2, binY: 2 };
  expect([...valuesAlong({ x0: 8, y0: 20, x1: 14, y1: 21 }, part, pixels)]).toEqual([NaN, 0, 1, 2]);
  expect(summary(Float32Array.from([NaN, 1, 2, 6]))).toEqual({ min: 1, max: 6, mean: 3 });
  expect(summary(Float32Array.from([NaN]))).toBe(null);
});

test('lines of a file that differ are marked in their places', () => {
  const text = (...lines: string[]) => `${lines.join('\n')}\n`;
  const marks = (a: string, b: string) => compared(a, b).map(({ mark, text }) => mark + text);
  expect(marks(text('a', 'b', 'c'), text('a', 'b', 'c'))).toEqual([' a', ' b', ' c']);
  expect(marks(text('a', 'b', 'c'), text('a', 'x', 'c'))).toEqual([' a', '-b', '+x', ' c']);
  expect(marks(text('a', 'b', 'c', 'd'), text('a', 'c', 'e', 'd'))).toEqual([' a', '-b', ' c', '+e', ' d']);
  expect(marks('', text('a'))).toEqual(['+a']);
  expect(marks(text('a', 'a', 'a'), text('a', 'a'))).toEqual([' a', ' a', '-a']);
  const random = (n: number) => Array.from({ length: n }, (_, i) => String((i * 7919) % 13));
  for (const [n, m] of [[20, 30], [31, 7], [0, 4]] as const) {
    const [a, b] = [random(n), random(m).reverse()];
    const lines = compared(n ? text(...a) : '', text(...b));
    expect(lines.filter(({ mark }) => mark !== '+').map((line) => line.text)).toEqual(a);
    expect(lines.filter(({ mark }) => mark !== '-').map((line) => line.text)).toEqual(b);
  }
});

test('values are paired where both are known', () => {
  const points = pairs([1, 2, null, 4], [2, 4, 6, 8]);
  expect([...points.get('x')!, ...points.get('y')!]).toEqual([1, 2, 4, 2, 4, 8]);
  expect(correlation(points)).toBeCloseTo(1);
  expect(correlation(pairs([1, 2, 3], [3, 2, 1]))).toBeCloseTo(-1);
  expect(correlation(pairs([1, 1], [3, 2]))).toBe(null);
  expect(correlation(pairs([], []))).toBe(null);
});

test('links with their faults in the words of the ledger', () => {
  const values = { links: [3, 9], good_percent: [92.5, 100], absent_s: [1e-6, 0], corrupt_s: [5e-7, 0], faults: '3: corrupt 0.500 us (mm), absent 1.000 us' };
  expect(linksOf(values)).toEqual([
    { link: 3, good: 92.5, absentS: 1e-6, corruptS: 5e-7, faults: 'corrupt 0.500 us (mm), absent 1.000 us' },
    { link: 9, good: 100, absentS: 0, corruptS: 0, faults: '' },
  ]);
  expect(linksOf(undefined)).toEqual([]);
  const missing = [{ begin: 0, end: 25, why: 'too_old' }, { begin: 50, end: 60, why: 'dead' }, { begin: 60, end: 65, why: 'too_old' }];
  expect(missingInWords(missing, String)).toBe('30 ticks too old, 10 ticks dead');
});
