import { expect, test } from 'vitest';
import { between, dragged, HANDLES, parametersOf, regionOf } from '../../src/model/roi';
import type { Value } from '../../src/link/protocol';

const input = { width: 1024, height: 512 };
const values = (all: Record<string, Value>) => (name: string) => all[name];

test('the region that a node cuts', () => {
  const all = { min_x: 128, min_y: 96, size_x: 384, size_y: 320 };
  expect(regionOf(values(all), input)).toEqual({ x: 128, y: 96, width: 384, height: 320 });
  expect(regionOf(values({ ...all, size_x: 1_000_000 }), input)).toMatchObject({ width: 896 });
  expect(regionOf(values({ ...all, enable_x: false }), input)).toMatchObject({ x: 0, width: 1024 });
  expect(regionOf(values({ ...all, auto_size_y: true }), input)).toMatchObject({ y: 96, height: 416 });
  expect(regionOf(values({ min_x: 5000, min_y: -7, size_x: 0, size_y: 9 }), input)).toEqual({ x: 1023, y: 0, width: 1, height: 9 });
});

test('four parameters, and what keeps them from acting', () => {
  const region = { x: 1, y: 2, width: 3, height: 4 };
  expect(parametersOf(region, values({}))).toEqual({ min_x: 1, min_y: 2, size_x: 3, size_y: 4 });
  expect(parametersOf(region, values({ enable_x: false, auto_size_y: true }))).toEqual(
    { min_x: 1, min_y: 2, size_x: 3, size_y: 4, enable_x: true, auto_size_y: false });
});

test('handles move their side only', () => {
  const from = { x: 100, y: 100, width: 50, height: 40 };
  expect(dragged(from, 'move', 10.4, -5.6, input)).toEqual({ x: 110, y: 94, width: 50, height: 40 });
  expect(dragged(from, 'se', 5, 7, input)).toEqual({ x: 100, y: 100, width: 55, height: 47 });
  expect(dragged(from, 'nw', 5, 7, input)).toEqual({ x: 105, y: 107, width: 45, height: 33 });
  expect(dragged(from, 'e', 5, 7, input)).toEqual({ x: 100, y: 100, width: 55, height: 40 });
  expect(dragged(from, 'n', 5, -7, input)).toEqual({ x: 100, y: 93, width: 50, height: 47 });
});

test('a region stays inside and is never empty', () => {
  const from = { x: 100, y: 100, width: 50, height: 40 };
  for (const handle of [...HANDLES, 'move'] as const) {
    for (const [dx, dy] of [[5000, 5000], [-5000, -5000], [5000, -5000], [0.4, 0.4]] as const) {
      const { x, y, width, height } = dragged(from, handle, dx, dy, input);
      expect(Math.min(width, height, x + 1, y + 1)).toBeGreaterThanOrEqual(1);
      expect(x + width <= input.width && y + height <= input.height).toBe(true);
    }
  }
});

test('a region between two corners in any order', () => {
  const wanted = { x: 10, y: 20, width: 21, height: 11 };
  expect(between(10.2, 20.9, 30.1, 30.5, input)).toEqual(wanted);
  expect(between(30.1, 30.5, 10.2, 20.9, input)).toEqual(wanted);
  expect(between(-50, -50, -40, -40, input)).toEqual({ x: 0, y: 0, width: 1, height: 1 });
});
