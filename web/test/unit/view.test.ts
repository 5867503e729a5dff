import { expect, test } from 'vitest';
import { fitted, kept, ticks, toArray, toCanvas, usualAxes, viewOf, zoomedAt } from '../../src/picture/view';

const array = { width: 1024, height: 512 };
const canvas = { width: 800, height: 600 };

test('fitted: all is seen and in the middle', () => {
  const view = fitted(array, canvas);
  expect(view).toEqual({ zoomX: 800 / 1024, zoomY: 800 / 1024, x: 512, y: 256 });
  expect(toCanvas(view, canvas, 0, 0)).toEqual({ x: 0, y: 100 });
});

test('places turn back', () => {
  const view = { zoomX: 3.7, zoomY: 0.4, x: 200, y: 80 };
  const at = toArray(view, canvas, 123, 456);
  const back = toCanvas(view, canvas, at.x, at.y);
  expect([back.x, back.y].map((v) => Math.round(v * 1e6) / 1e6)).toEqual([123, 456]);
});

test('zooming keeps the pixel under the pointer', () => {
  const view = fitted(array, canvas);
  const before = toArray(view, canvas, 300, 220);
  for (const [across, down] of [[4, 4], [3, 1], [1, 0.5]]) {
    const after = toArray(zoomedAt(view, canvas, 300, 220, across!, down), canvas, 300, 220);
    expect([after.x, after.y]).toEqual([expect.closeTo(before.x, 9), expect.closeTo(before.y, 9)]);
  }
});

test('the array stays in sight', () => {
  const both = (zoom: number) => ({ zoomX: zoom, zoomY: zoom });
  expect(kept({ ...both(2), x: -500, y: 9999 }, array, canvas)).toEqual({ ...both(2), x: 200, y: 362 });
  expect(kept({ ...both(0.001), x: 0, y: 0 }, array, canvas).zoomX).toBeCloseTo(800 / 1024);
  expect(kept({ ...both(1e9), x: 10, y: 10 }, array, canvas)).toMatchObject(both(64));
});

test('the corner lies on a whole pixel, whatever the size of the canvas', () => {
  for (const width of [800, 801, 333]) {
    const size = { width, height: 600 };
    const { x } = toCanvas(kept({ zoomX: 1, zoomY: 1, x: 512.3, y: 256 }, array, size), size, 0, 0);
    expect(Math.abs(x - Math.round(x))).toBeLessThan(1e-9);
  }
});

test('a wire record of 256 x 12,810 fills its place; with equal axes it is 12 px high', () => {
  const wires = { width: 12810, height: 256 };
  const all = { zoom: 'fit', x: 0, y: 0, axes: '' } as const;
  const seen = viewOf(all, wires, canvas);
  expect([seen.zoomX * wires.width, seen.zoomY * wires.height]).toEqual([expect.closeTo(800), expect.closeTo(600)]);
  expect(viewOf({ ...all, axes: 'equal' }, wires, canvas).zoomY * 256).toBeLessThan(17);
  // Zoomed, each axis is kept in sight for itself; with equal axes the zoom across counts.
  const near = { zoom: { x: 1, y: 8 }, x: 0, y: 9999 };
  expect(viewOf({ ...near, axes: '' }, wires, canvas)).toEqual({ zoomX: 1, zoomY: 8, x: 400, y: 256 - 600 / 16 });
  expect(viewOf({ ...near, axes: 'equal' }, wires, canvas)).toEqual({ zoomX: 1, zoomY: 1, x: 400, y: 128 });
  expect([array, { width: 1024, height: 1024 }, wires, { width: 1, height: 9 }].map(usualAxes)).toEqual(['equal', 'equal', 'own', 'own']);
});

test('ticks are round', () => {
  expect(ticks(0, 1000, 5)).toEqual([0, 200, 400, 600, 800, 1000]);
  expect(ticks(0.13, 0.42, 3)).toEqual([0.2, 0.3, 0.4]);
  expect(ticks(3, 3, 5)).toEqual([]);
});
