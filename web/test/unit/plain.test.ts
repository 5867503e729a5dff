import { expect, test } from 'vitest';
import { colourIndex, type Pixels, type Scale } from '../../src/model/contrast';
import { colours } from '../../src/picture/maps';
import type { Part } from '../../src/picture/painter';
import { PlainPainter } from '../../src/picture/plain';

class FakeImage {
  readonly data: Uint8ClampedArray;
  constructor(readonly width: number, readonly height: number) {
    this.data = new Uint8ClampedArray(4 * width * height);
  }
}
globalThis.ImageData = FakeImage as unknown as typeof ImageData;

const TABLE = colours('viridis');
const OUTSIDE = [1, 2, 3] as const;
const INVALID = [4, 5, 6] as const;

/** What is on a canvas of this size, as `at(x, y)`. */
function drawn(size: [number, number], pixels: Pixels, width: number, limits: [number, number], part: Part | null, scale: Scale = 'linear', parts = 1) {
  let shown: FakeImage | null = null;
  const pen = { putImageData: (image: FakeImage) => (shown = image) };
  const canvas = { width: size[0], height: size[1], getContext: () => pen } as unknown as OffscreenCanvas;
  const painter = new PlainPainter(canvas);
  painter.setColours(TABLE);
  painter.setPixels(pixels, width, pixels.length / width);
  painter.draw({ low: limits[0], high: limits[1], scale }, part, OUTSIDE, INVALID, parts);
  return (x: number, y: number) => [...shown!.data.slice(4 * (y * size[0] + x), 4 * (y * size[0] + x) + 4)];
}
const inked = (value: number, low: number, high: number, scale: Scale = 'linear') => {
  const i = colourIndex(value, low, high, scale) * 4;
  return [...TABLE.slice(i, i + 3), 255];
};
const WHOLE = { x: 0, y: 0, stepX: 1, stepY: 1 };

test.each([
  ['u8', Uint8Array.of(0, 7, 200, 255, 9, 11)], ['i8', Int8Array.of(-128, 7, -3, 127, 9, 11)], ['u16', Uint16Array.of(0, 7, 200, 65535, 9, 11)],
  ['i16', Int16Array.of(-32768, 7, -3, 32767, 9, 11)], ['u32', Uint32Array.of(0, 7, 200, 4e9, 9, 11)], ['f32', Float32Array.of(-1e9, 0.5, 200, 4e9, 9, 11)],
])('every value has the colour of the map: %s', (_, pixels) => {
  for (const scale of ['linear', 'log', 'root'] as const) {
    const at = drawn([3, 2], pixels as Pixels, 3, [-5, 210], WHOLE, scale);
    pixels.forEach((value, i) => expect(at(i % 3, Math.floor(i / 3)), `${value} ${scale}`).toEqual(inked(value, -5, 210, scale)));
  }
});

test('beyond the array and what is no number have their own colours', () => {
  const at = drawn([4, 3], Float32Array.of(NaN, 1, 2, 3), 2, [0, 3], { x: -1, y: -1, stepX: 1, stepY: 1 });
  expect([at(0, 0), at(3, 1), at(1, 0)]).toEqual(Array(3).fill([...OUTSIDE, 255]));
  expect([at(1, 1), at(2, 1), at(2, 2)]).toEqual([[...INVALID, 255], inked(1, 0, 3), inked(3, 0, 3)]);
  expect(drawn([1, 1], Uint8Array.of(9), 1, [0, 9], null)(0, 0)).toEqual([...OUTSIDE, 255]);
});

test('zoomed in, a value covers whole pixels; zoomed out, the largest is seen', () => {
  const near = drawn([6, 4], Uint8Array.of(10, 20, 30, 40), 2, [0, 50], { x: 0, y: 0, stepX: 1 / 3, stepY: 1 / 2 });
  for (const [x, y, value] of [[0, 0, 10], [2, 1, 10], [3, 0, 20], [2, 2, 30], [5, 3, 40]] as const) expect(near(x, y)).toEqual(inked(value, 0, 50));
  const many = new Uint16Array(64);
  many[5 * 8 + 6] = 500;
  const far = drawn([2, 2], many, 8, [0, 500], { x: 0, y: 0, stepX: 4, stepY: 4 });
  expect([far(0, 0), far(1, 0), far(0, 1), far(1, 1)]).toEqual([0, 0, 0, 500].map((value) => inked(value, 0, 500)));
});

test('red, green and blue are what they are', () => {
  const at = drawn([2, 1], Uint8Array.of(255, 0, 10, 1, 2, 3), 6, [0, 255], WHOLE, 'linear', 3);
  expect([at(0, 0), at(1, 0)]).toEqual([[255, 0, 10, 255], [1, 2, 3, 255]]);
});
