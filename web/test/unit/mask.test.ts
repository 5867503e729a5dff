/** Masks drawn by hand: shapes, detector pixels under a picture, and the files that they become. */

import { expect, test } from 'vitest';
import {
  countOf, detectorBehind, extentOf, listOf, maskOf, npyOf, piecesOf, polygon, readPlace, rectangle, stroke, toDetector, toPicture,
  type Known, type Step,
} from '../../src/model/mask';
import type { Region, Size } from '../../src/model/roi';

const SIZE = { width: 12, height: 8 };

/** The pixels of some regions as text, row by row. */
function drawn(regions: readonly Region[], { width, height }: Size = SIZE): string[] {
  const mask = maskOf([{ add: true, regions: [...regions] }], { width, height })!;
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => (mask.bits[y * width + x] ? '#' : '.')).join(''));
}

test('where a picture was read is taken from the server only if it makes sense', () => {
  const full = { width: 60, height: 45 };
  expect(readPlace('40,2,1,30,1,0', full)).toEqual({
    x: { size: 60, offset: 40, bin: 2, reverse: true }, y: { size: 45, offset: 30, bin: 1, reverse: false },
  });
  expect(extentOf(readPlace('40,2,1,30,1,0', full)!)).toEqual({ width: 160, height: 75 });
  for (const wrong of [null, '', '1,2,3', '1,2,3,4,5,x', '1,1,0,-1,1,0', '1,1,0,1e3,1,0', '1,1,0,1,1,0,7']) {
    expect(readPlace(wrong, full), String(wrong)).toBe(null);
  }
});

/** Every pixel of pictures with offset, bins and reversal: to the detector and back, against counting by hand. */
test('pixels of a picture are found on the detector, and the other way round', () => {
  for (const [bin, reverse] of [[1, false], [1, true], [3, false], [3, true]] as const) {
    const sensor = readPlace(`5,${bin},${Number(reverse)},7,1,0`, { width: 6, height: 4 })!;
    for (let x = 0; x < 6; x++) {
      const wanted = 5 + bin * (reverse ? 5 - x : x);
      const on = toDetector(sensor, { x, y: 2, width: 1, height: 1 });
      expect(on).toEqual({ x: wanted, y: 9, width: bin, height: 1 });
      // Any one detector pixel of it is this pixel of the picture.
      for (let i = 0; i < bin; i++) {
        expect(toPicture(sensor, { ...on, x: wanted + i, width: 1 })).toEqual({ x, y: 2, width: 1, height: 1 });
      }
    }
    const region = { x: 1, y: 0, width: 3, height: 4 };
    expect(toPicture(sensor, toDetector(sensor, region))).toEqual(region);
    expect(toPicture(sensor, { x: 0, y: 0, width: 5, height: 7 })).toMatchObject({ width: 0, height: 0 });
  }
});

test('rectangles and strokes have the pixels that were passed', () => {
  expect(rectangle({ x: 3, y: 4 }, { x: 1, y: 2 }, SIZE)).toEqual([{ x: 1, y: 2, width: 3, height: 3 }]);
  expect(rectangle({ x: 10, y: 7 }, { x: 99, y: 99 }, SIZE)).toEqual([{ x: 10, y: 7, width: 2, height: 1 }]);
  expect(drawn(stroke({ x: 2, y: 3 }, { x: 2, y: 3 }, 1, SIZE)).join('')).toMatch(/^\.{38}#\.+$/);
  expect(drawn(stroke({ x: 2, y: 3 }, { x: 6, y: 3 }, 3, SIZE))).toEqual([
    '............', '............', '.#######....', '.#######....', '.#######....', '............', '............', '............',
  ]);
  // At the edge it is cut, and a slanting line has no gaps.
  const slant = drawn(stroke({ x: 0, y: 0 }, { x: 11, y: 7 }, 2, SIZE));
  slant.forEach((row) => expect(row).toContain('##'));
});

test('a polygon has its inside and its corners', () => {
  expect(drawn(polygon([{ x: 1, y: 1 }, { x: 7, y: 1 }, { x: 1, y: 7 }], SIZE))).toEqual([
    '............', '.#######....', '.######.....', '.#####......', '.####.......', '.###........', '.##.........', '.#..........',
  ]);
  // Concave, and partly outside.
  const l = drawn(polygon([{ x: 0, y: 0 }, { x: 2, y: 0 }, { x: 2, y: 5 }, { x: 20, y: 5 }, { x: 20, y: 7 }, { x: 0, y: 7 }], SIZE));
  expect(l[3]).toBe('###.........');
  expect(l[6]).toBe('############');
  expect(drawn(polygon([{ x: 4, y: 4 }], SIZE)).join('').replaceAll('.', '')).toBe('#');
});

test('steps are added, taken away and taken back; the pieces are the same pixels, none of them twice', () => {
  const steps: Step[] = [
    { add: true, regions: [{ x: 1, y: 1, width: 8, height: 5 }, { x: 4, y: 3, width: 7, height: 4 }] },
    { add: false, regions: [{ x: 3, y: 2, width: 2, height: 2 }, { x: -5, y: -5, width: 7, height: 7 }] },
    { add: true, regions: stroke({ x: 0, y: 7 }, { x: 11, y: 0 }, 1, SIZE) },
  ];
  for (let n = 0; n <= steps.length; n++) {
    const mask = maskOf(steps.slice(0, n), SIZE)!;
    const pieces = piecesOf(mask, steps.slice(0, n));
    expect(countOf(pieces)).toBe(mask.bits.reduce((sum, bit) => sum + bit, 0));
    expect(maskOf([{ add: true, regions: pieces }], SIZE)!.bits).toEqual(mask.bits);
  }
  expect(piecesOf(maskOf(steps.slice(0, 1), { width: 20, height: 20 })!, steps.slice(0, 1)).length).toBeLessThan(6);
  expect(maskOf([], { width: 1e6, height: 1e6 })).toBe(null);
});

test('the list of bad pixels, alone as areaDetector reads it or in rectangles', () => {
  const pieces = [{ x: 3, y: 4, width: 2, height: 2 }, { x: 9, y: 9, width: 1, height: 1 }];
  expect(JSON.parse(listOf(pieces, { Median: [1, 1] }, false))).toEqual({ 'Bad pixels': [
    { Pixel: [3, 4], Median: [1, 1] }, { Pixel: [4, 4], Median: [1, 1] }, { Pixel: [3, 5], Median: [1, 1] }, { Pixel: [4, 5], Median: [1, 1] },
    { Pixel: [9, 9], Median: [1, 1] },
  ] });
  expect(JSON.parse(listOf(pieces, { Set: 0 }, true))).toEqual({ 'Bad pixels': [{ Pixel: [3, 4], Size: [2, 2], Set: 0 }, { Pixel: [9, 9], Set: 0 }] });
  expect(JSON.parse(listOf([], { Set: 0 }, true))).toEqual({ 'Bad pixels': [] });
  // So many alone would be a file of megabytes.
  expect(JSON.parse(listOf([{ x: 0, y: 0, width: 1000, height: 1000 }], { Set: 0 }, false))['Bad pixels'].length).toBe(1);
});

test('an array of NumPy with 0 where a pixel is bad', () => {
  const mask = maskOf([{ add: true, regions: [{ x: 1, y: 1, width: 2, height: 1 }] }], { width: 4, height: 3 })!;
  const file = npyOf(mask);
  const length = file[8]! + 256 * file[9]!;
  expect((10 + length) % 64).toBe(0);
  expect(new TextDecoder('latin1').decode(file.subarray(0, 8))).toBe('\x93NUMPY\x01\x00');
  expect(new TextDecoder().decode(file.subarray(10, 10 + length))).toMatch(/^\{'descr': '\|u1', 'fortran_order': False, 'shape': \(3, 4\), \} *\n$/);
  expect([...file.subarray(10 + length)]).toEqual([1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1]);
});

test('what stands between a picture and its detector is told', () => {
  const types: Record<string, [string, string[]]> = {
    cam: ['sim_detector', []], other: ['sim_detector', []], roi: ['roi', ['cam.out']], bad: ['bad_pixels', ['roi.out']], stats: ['statistics', ['bad.out']],
    turned: ['transform', ['cam.out']], flipped: ['transform', ['cam.out']], small: ['resize', ['cam.out']], after: ['roi', ['small.out']],
    both: ['gather', ['cam.out', 'other.out']], again: ['gather', ['roi.out', 'cam.out']], alone: ['roi', []], unclear: ['transform', ['cam.out']],
  };
  const known: Known = {
    type: (node) => types[node]?.[0], isSource: (node) => types[node]?.[0] === 'sim_detector', inputs: (node) => types[node]?.[1] ?? [],
    operation: (node) => ({ turned: 'rot90_mirror', flipped: 'rot180' })[node],
  };
  const behind = (output: string) => detectorBehind(output, known);
  for (const output of ['cam.out', 'roi.out', 'bad.out', 'stats.out', 'flipped.out', 'again.out']) expect(behind(output), output).toEqual({ source: 'cam' });
  for (const [output, why] of [
    ['turned.out', 'columns of rows'], ['after.out', 'small (resize)'], ['stats.values', 'stats (statistics)'], ['both.out', 'cam and other'],
    ['alone.out', 'no source'], ['unclear.out', 'not known yet'], ['nowhere.out', 'not known'],
  ] as const) expect(behind(output), output).toMatchObject({ why: expect.stringContaining(why) as string });
});
