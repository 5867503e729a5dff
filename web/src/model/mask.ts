/**
 * A mask drawn by hand: pixels of the detector that are bad. All coordinates are detector pixels, whatever region,
 * bins or reversal the picture has that was drawn on. Pure functions.
 */

import { npyFile } from './npy';
import type { Region, Size } from './roi';

/** One side of a picture on the detector: its pixels, the first detector pixel, how many make one, and whether the last comes first. */
export interface Side {
  size: number;
  offset: number;
  bin: number;
  reverse: boolean;
}

/** Where on the detector a picture was read. */
export interface Sensor {
  x: Side;
  y: Side;
}

/** The largest detector that a mask is drawn for: a byte for each pixel. */
const MOST_PIXELS = 1 << 26;

/** From the answer of the server, offset, binning and reversal of x and y: `40,1,0,30,2,1`; `null` if it is something else. */
export function readPlace(text: string | null, full: Size): Sensor | null {
  const numbers = (text ?? '').split(',').map((part) => (/^\d+$/.test(part) ? Number(part) : NaN));
  if (numbers.length !== 6 || !numbers.every(Number.isSafeInteger)) return null;
  const side = (size: number, [offset, bin, reverse]: number[]): Side =>
    ({ size, offset: offset!, bin: Math.max(1, bin!), reverse: reverse === 1 });
  return { x: side(full.width, numbers.slice(0, 3)), y: side(full.height, numbers.slice(3)) };
}

/** The end of a picture on the detector. */
const endOf = ({ size, offset, bin }: Side) => offset + size * bin;

/** How large the detector is at least. */
export const extentOf = ({ x, y }: Sensor): Size => ({ width: endOf(x), height: endOf(y) });

// ---- Between a picture and the detector ----

/** The detector pixels of some pixels of a side. */
function onDetector({ size, offset, bin, reverse }: Side, from: number, length: number): [number, number] {
  return [offset + (reverse ? size - from - length : from) * bin, length * bin];
}

/** The pixels of a side that contain the given detector pixels, wholly or in part; their length may be 0. */
function onPicture({ size, offset, bin, reverse }: Side, from: number, length: number): [number, number] {
  const first = Math.max(0, Math.floor((from - offset) / bin));
  const end = Math.min(size, Math.ceil((from + length - offset) / bin));
  const found = Math.max(0, end - first);
  return [reverse ? size - first - found : first, found];
}

const both = (sensor: Sensor, { x, y, width, height }: Region, of: typeof onDetector): Region => {
  const [[x0, w], [y0, h]] = [of(sensor.x, x, width), of(sensor.y, y, height)];
  return { x: x0, y: y0, width: w, height: h };
};

export const toDetector = (sensor: Sensor, region: Region) => both(sensor, region, onDetector);
export const toPicture = (sensor: Sensor, region: Region) => both(sensor, region, onPicture);

// ---- Shapes, in pixels of a picture ----

export interface Spot {
  x: number;
  y: number;
}

const row = (y: number, from: number, end: number): Region => ({ x: from, y, width: end - from, height: 1 });

/** The part of a region that is in a picture of this size; nothing if none is. */
function clipped(region: Region, { width, height }: Size): Region[] {
  const [x0, y0] = [Math.max(0, region.x), Math.max(0, region.y)];
  const [x1, y1] = [Math.min(width, region.x + region.width), Math.min(height, region.y + region.height)];
  return x1 > x0 && y1 > y0 ? [{ x: x0, y: y0, width: x1 - x0, height: y1 - y0 }] : [];
}

/** From the pixel of one corner to the pixel of the other, both included. */
export function rectangle(a: Spot, b: Spot, picture: Size): Region[] {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return clipped({ x, y, width: Math.abs(a.x - b.x) + 1, height: Math.abs(a.y - b.y) + 1 }, picture);
}

/** The pixels whose middle is within `width / 2` of a line from pixel to pixel. */
export function stroke(a: Spot, b: Spot, width: number, picture: Size): Region[] {
  const reach = width / 2;
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = dx * dx + dy * dy;
  const isIn = (x: number, y: number) => {
    const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - a.x) * dx + (y - a.y) * dy) / length));
    return Math.hypot(x - a.x - along * dx, y - a.y - along * dy) <= reach;
  };
  const around = clipped({
    x: Math.floor(Math.min(a.x, b.x) - reach), y: Math.floor(Math.min(a.y, b.y) - reach),
    width: Math.abs(dx) + 2 * Math.ceil(reach) + 1, height: Math.abs(dy) + 2 * Math.ceil(reach) + 1,
  }, picture);
  return around.flatMap((box) => rowsOf(box, isIn));
}

/** The pixels whose middle is within a polygon from pixel to pixel; with fewer than three corners the pixels on the
 * line. */
export function polygon(corners: readonly Spot[], picture: Size): Region[] {
  const sides = corners.map((corner, i) => [corner, corners[(i + 1) % corners.length]!] as const);
  // The corner pixels belong to the polygon, because the person has pressed on them.
  const outline = sides.flatMap(([a, b]) => stroke(a, b, 1, picture));
  const rows = Array.from({ length: picture.height }, (_, y) => {
    const cuts = sides.filter(([a, b]) => a.y > y !== b.y > y).map(([a, b]) => a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x));
    cuts.sort((a, b) => a - b);
    return Array.from({ length: cuts.length >> 1 }, (_, i) => {
      const from = Math.ceil(cuts[2 * i]!);
      return { x: from, y, width: Math.floor(cuts[2 * i + 1]!) + 1 - from, height: 1 };
    });
  });
  return [...outline, ...rows.flat().flatMap((region) => clipped(region, picture))];
}

/** The parts of a box that fulfil a condition, row by row. */
function rowsOf({ x, y, width, height }: Region, isIn: (x: number, y: number) => boolean): Region[] {
  const found: Region[] = [];
  for (let at = y; at < y + height; at++) {
    let from = -1;
    for (let i = x; i <= x + width; i++) {
      const within = i < x + width && isIn(i, at);
      if (within && from < 0) from = i;
      if (!within && from >= 0) {
        found.push(row(at, from, i));
        from = -1;
      }
    }
  }
  return found;
}

// ---- The mask ----

/** One step of drawing, in detector pixels. */
export interface Step {
  add: boolean;
  regions: Region[];
}

/** 1 for each bad pixel of the detector. */
export interface Mask extends Size {
  bits: Uint8Array<ArrayBuffer>;
}

/** A mask after these steps. `null` for a detector that is too large. */
export function maskOf(steps: readonly Step[], { width, height }: Size): Mask | null {
  if (!(width * height <= MOST_PIXELS)) return null;
  const bits = new Uint8Array(width * height);
  for (const { add, regions } of steps) {
    for (const region of regions.flatMap((region) => clipped(region, { width, height }))) {
      for (let y = region.y; y < region.y + region.height; y++) {
        bits.fill(add ? 1 : 0, y * width + region.x, y * width + region.x + region.width);
      }
    }
  }
  return { bits, width, height };
}

/** The smallest region that contains all steps. */
function around(steps: readonly Step[], size: Size): Region | null {
  const all = steps.filter((step) => step.add).flatMap((step) => step.regions).flatMap((region) => clipped(region, size));
  if (all.length === 0) return null;
  let [x0, y0, x1, y1] = [Infinity, Infinity, 0, 0];
  for (const { x, y, width, height } of all) {
    [x0, y0, x1, y1] = [Math.min(x0, x), Math.min(y0, y), Math.max(x1, x + width), Math.max(y1, y + height)];
  }
  return { x: x0, y: y0, width: x1 - x0, height: y1 - y0 };
}

/** The bad pixels as rectangles that do not overlap: rows of pixels, joined with the same ones of the row above. */
export function piecesOf(mask: Mask, steps: readonly Step[]): Region[] {
  const box = around(steps, mask);
  if (!box) return [];
  const done: Region[] = [];
  let open = new Map<string, Region>();
  for (const piece of rowsOf(box, (x, y) => mask.bits[y * mask.width + x] === 1)) {
    const key = `${piece.x},${piece.width}`;
    const above = open.get(key);
    if (above && above.y + above.height === piece.y) above.height++;
    else {
      if (above) done.push(above);
      open.set(key, piece);
    }
  }
  done.push(...open.values());
  open = new Map();
  return done.sort((a, b) => a.y - b.y || a.x - b.x);
}

export const countOf = (pieces: readonly Region[]) => pieces.reduce((sum, { width, height }) => sum + width * height, 0);

// ---- Files ----

/** The replacement of a bad pixel: a value, or the median of this many columns and rows on each side. */
export type Fix = { Set: number } | { Median: [number, number] };

/** Beyond this many pixels a list names rectangles, which areaDetector does not read, in any case. */
const MOST_ALONE = 100_000;

/** The list that the node `bad_pixels` takes: pixel by pixel, as areaDetector reads it, or by rectangles. */
export function listOf(pieces: readonly Region[], fix: Fix, byRectangles: boolean): string {
  const entry = (x: number, y: number, size?: [number, number]) =>
    JSON.stringify({ Pixel: [x, y], ...(size && (size[0] > 1 || size[1] > 1) ? { Size: size } : {}), ...fix });
  const grouped = byRectangles || countOf(pieces) > MOST_ALONE;
  const entries = pieces.flatMap(({ x, y, width, height }) =>
    grouped ? [entry(x, y, [width, height])]
      : Array.from({ length: width * height }, (_, i) => entry(x + (i % width), y + Math.floor(i / width))));
  return `{"Bad pixels": [${entries.length ? `\n${entries.join(',\n')}\n` : ''}]}\n`;
}

/** An array of NumPy, rows by columns of `u1`: 0 for a bad pixel and 1 for a good one, as `corrections` and `--mask` take it. */
export function npyOf({ bits, width, height }: Mask): Uint8Array<ArrayBuffer> {
  return npyFile('|u1', [height, width], bits.map((bad) => 1 - bad));
}

// ---- Whether a picture can be mapped ----

/** Nodes whose outputs `out…` state the place of their pictures on the detector. */
const KEEPS = new Set([
  'roi', 'bad_pixels', 'corrections', 'color_convert', 'attributes', 'circular_buffer', 'compress', 'decompress', 'overlay', 'process',
  'gather', 'scatter', 'statistics', 'image', 'transform',
]);
/** Operations of `transform` after which columns are rows. */
const TURNS = /^rot(90|270)/;

/** The graph as far as it is asked for here. */
export interface Known {
  type(node: string): string | undefined;
  isSource(node: string): boolean;
  inputs(node: string): string[];
  operation(node: string): unknown;
}

/** The source whose detector an output shows, or the reason why the places of its pixels on the detector are unknown. */
export function detectorBehind(output: string, known: Known): { source: string } | { why: string } {
  const [sources, seen, todo] = [new Set<string>(), new Set<string>(), [output]];
  for (let from = todo.pop(); from !== undefined; from = todo.pop()) {
    const [name = '', port = 'out'] = from.split('.');
    if (seen.has(from)) continue;
    seen.add(from);
    if (known.isSource(name)) {
      sources.add(name);
      continue;
    }
    const why = whyNot(name, port, known);
    if (why) return { why };
    todo.push(...known.inputs(name));
  }
  if (sources.size === 1) return { source: [...sources][0]! };
  return { why: sources.size === 0 ? 'no source leads to it' : `pictures of ${[...sources].sort().join(' and ')} come together in it` };
}

function whyNot(name: string, port: string, known: Known): string {
  const type = known.type(name) ?? 'not known';
  if (!KEEPS.has(type) || !port.startsWith('out')) return `${name} (${type}) makes pictures of its own, whose pixels are none of a detector`;
  if (type !== 'transform') return '';
  const operation = known.operation(name);
  if (operation === undefined) return `it is not known yet how ${name} (transform) turns pictures`;
  return TURNS.test(String(operation)) ? `${name} (transform) makes columns of rows: draw on the picture before it` : '';
}
