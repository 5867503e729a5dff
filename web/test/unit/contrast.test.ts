import { expect, test } from 'vitest';
import { colourIndex, Histogram, placer, unwarp, warp, type Pixels } from '../../src/model/contrast';

const of = (pixels: Pixels) => new Histogram().fill(pixels);

/** Nearest rank, as `percentile` means it. */
const sorted = (pixels: Pixels, percent: number) => {
  const values = Array.from(pixels as Float64Array, Number).sort((a, b) => a - b);
  return values[Math.max(1, Math.ceil((percent / 100) * values.length)) - 1]!;
};

test('small integers are exact, below zero too', () => {
  const pixels = Int16Array.from({ length: 1000 }, (_, i) => ((i * 7919) % 65536) - 32768);
  const histogram = of(pixels);
  for (const percent of [0, 0.5, 25, 50, 99.8, 100]) expect(histogram.percentile(percent)).toBe(sorted(pixels, percent));
  expect([histogram.min, histogram.max]).toEqual([Math.min(...pixels), Math.max(...pixels)]);
  expect(histogram.mean).toBeCloseTo(pixels.reduce((a, b) => a + b, 0) / 1000, 9);
});

const numbers = (signs: boolean) =>
  Array.from({ length: 5000 }, (_, i) => ((i * 48271) % 5000) ** 2 * (signs && i % 2 ? -1 : 1));

test.each([
  ['u32', Uint32Array.from(numbers(false))], ['i32', Int32Array.from(numbers(true))],
  ['f32', Float32Array.from(numbers(true))], ['f64', Float64Array.from(numbers(true))],
])('wide types keep a precision of 1 in 128: %s', (_, pixels) => {
  const histogram = of(pixels);
  for (const percent of [0.5, 10, 50, 90, 99.8]) {
    const exact = sorted(pixels, percent);
    expect(Math.abs(histogram.percentile(percent) - exact)).toBeLessThanOrEqual(Math.abs(exact) / 100 + 1e-9);
  }
});

test('one wild pixel leaves the others where they are', () => {
  const pixels = Uint32Array.from({ length: 10_000 }, (_, i) => i % 100);
  pixels[17] = 4_294_967_295;
  const histogram = of(pixels);
  expect(histogram.percentile(50)).toBe(50);
  expect([histogram.max, histogram.atLimit]).toEqual([4_294_967_295, 1]);
});

test('what is not a number is counted and left out', () => {
  const histogram = of(Float32Array.from([1, NaN, 3, Infinity]));
  expect([histogram.count, histogram.invalid, histogram.min, histogram.max, histogram.mean]).toEqual([2, 2, 1, 3, 2]);
  expect(of(Float32Array.from([NaN])).percentile(50)).toBeNaN();
});

test('64-bit counts', () => {
  const histogram = of(BigUint64Array.from([1n, 2n, 3n]));
  expect([histogram.min, histogram.max, histogram.percentile(50)]).toEqual([1, 3, 2]);
});

test('pixels at the limit of their type', () => {
  expect(of(Uint8Array.from([0, 255, 255])).atLimit).toBe(2);
  expect(of(Uint16Array.from([0, 65535, 255])).atLimit).toBe(1);
  expect(of(Int8Array.from([-128, 127])).atLimit).toBe(1);
});

test('bars hold every pixel', () => {
  const pixels = Uint16Array.from({ length: 4096 }, (_, i) => i);
  for (const scale of ['linear', 'log', 'root'] as const) {
    const bars = of(pixels).bars(64, scale);
    expect(bars.reduce((a, b) => a + b, 0)).toBe(4096);
    expect(bars.at(-1)).toBeGreaterThan(0);
  }
});

test('a flat histogram has flat bars', () => {
  const bars = of(Uint8Array.from({ length: 2560 }, (_, i) => i % 256)).bars(180, 'linear');
  expect([...new Set(bars)]).toEqual([20]);
  expect(bars).toHaveLength(128);
});

test('scales turn back', () => {
  for (const scale of ['linear', 'log', 'root'] as const) {
    for (const value of [-50, 0, 0.5, 1, 4000]) expect(unwarp(warp(value, scale), scale)).toBeCloseTo(value, 6);
    const place = placer(10, 1000, scale);
    expect([place(5), place(10), place(1000), place(5000)]).toEqual([0, 0, 1, 1]);
  }
});

test('colours of a linear scale', () => {
  expect([0, 1, 127, 255, 300].map((v) => colourIndex(v, 0, 255, 'linear'))).toEqual([0, 1, 127, 255, 255]);
});
