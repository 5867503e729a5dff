import { expect, test } from 'vitest';
import { busyPercent, commitOf, machine, row } from '../browser/record';

test('a row has the median, the spread and all repeats', () => {
  expect(row('a', 'ms', [3.001, 1, 2])).toEqual({ name: 'a', unit: 'ms', repeats: 3, median: 2, min: 1, max: 3, values: [3, 1, 2] });
  expect(row('b', '', [4, 1]).median).toBe(2.5);
});

test('the commit is that of the program', () => {
  expect([commitOf('0.1.0 (0123abc)'), commitOf('0.1.0 (0123abc-dirty)'), commitOf('0.1.0')]).toEqual(['0123abc', '0123abc-dirty', 'unknown']);
});

test('the machine is described, and how busy it is', async () => {
  expect(machine().cores).toBeGreaterThan(0);
  const busy = await busyPercent(50);
  expect(busy === null || (busy >= 0 && busy <= 100)).toBe(true);
});
