import { expect, test } from 'vitest';
import { fitted, kept, ticks, toArray, toCanvas, zoomedAt } from '../../src/picture/view';

const array = { width: 1024, height: 512 };
const canvas = { width: 800, height: 600 };

test('fitted: all is seen and in the middle', () => {
  const view = fitted(array, canvas);
  expect(view).toEqual({ zoom: 800 / 1024, x: 512, y: 256 });
  expect(toCanvas(view, canvas, 0, 0)).toEqual({ x: 0, y: 100 });
});

test('places turn back', () => {
  const view = { zoom: 3.7, x: 200, y: 80 };
  const at = toArray(view, canvas, 123, 456);
  const back = toCanvas(view, canvas, at.x, at.y);
  expect([back.x, back.y].map((v) => Math.round(v * 1e6) / 1e6)).toEqual([123, 456]);
});

test('zooming keeps the pixel under the pointer', () => {
  const view = fitted(array, canvas);
  const before = toArray(view, canvas, 300, 220);
  const after = toArray(zoomedAt(view, canvas, 300, 220, 4), canvas, 300, 220);
  expect([after.x, after.y]).toEqual([expect.closeTo(before.x, 9), expect.closeTo(before.y, 9)]);
});

test('the array stays in sight', () => {
  expect(kept({ zoom: 2, x: -500, y: 9999 }, array, canvas)).toEqual({ zoom: 2, x: 200, y: 362 });
  expect(kept({ zoom: 0.001, x: 0, y: 0 }, array, canvas).zoom).toBeCloseTo(800 / 1024);
  expect(kept({ zoom: 1e9, x: 10, y: 10 }, array, canvas).zoom).toBe(64);
});

test('the corner lies on a whole pixel, whatever the size of the canvas', () => {
  for (const width of [800, 801, 333]) {
    const size = { width, height: 600 };
    const { x } = toCanvas(kept({ zoom: 1, x: 512.3, y: 256 }, array, size), size, 0, 0);
    expect(Math.abs(x - Math.round(x))).toBeLessThan(1e-9);
  }
});

test('ticks are round', () => {
  expect(ticks(0, 1000, 5)).toEqual([0, 200, 400, 600, 800, 1000]);
  expect(ticks(0.13, 0.42, 3)).toEqual([0.2, 0.3, 0.4]);
  expect(ticks(3, 3, 5)).toEqual([]);
});
