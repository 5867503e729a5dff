/** Regions of interest on a picture: the region of a drag, and the parameters that it sets. Pure functions. */

/** In pixels of the node's input. */
export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Size {
  width: number;
  height: number;
}

export const HANDLES = ['nw', 'n', 'ne', 'e', 'se', 's', 'sw', 'w'] as const;
export type Handle = (typeof HANDLES)[number] | 'move' | 'new';

type Values = (name: string) => unknown;

const asNumber = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);

/** The region that a node `roi` cuts from an input of this size; dimensions that are not cut are whole. */
export function regionOf(values: Values, input: Size): Region {
  const [x, width] = along(values, 'x', input.width);
  const [y, height] = along(values, 'y', input.height);
  return { x, y, width, height };
}

function along(values: Values, axis: 'x' | 'y', whole: number): [number, number] {
  if (values(`enable_${axis}`) === false) return [0, whole];
  const start = clamp(asNumber(values(`min_${axis}`), 0), 0, Math.max(0, whole - 1));
  const left = whole - start;
  if (values(`auto_size_${axis}`) === true) return [start, left];
  return [start, clamp(asNumber(values(`size_${axis}`), left), 1, left)];
}

/** The four parameters of a region, and the switches that they need to act. */
export function parametersOf(region: Region, values: Values): Record<string, number | boolean> {
  const set: Record<string, number | boolean> = {
    min_x: region.x, min_y: region.y, size_x: region.width, size_y: region.height,
  };
  for (const axis of ['x', 'y']) {
    if (values(`enable_${axis}`) === false) set[`enable_${axis}`] = true;
    if (values(`auto_size_${axis}`) === true) set[`auto_size_${axis}`] = false;
  }
  return set;
}

/** The region after a handle was dragged by (`dx`, `dy`) pixels: whole pixels, inside the input, at least one wide and high. */
export function dragged(from: Region, handle: Handle, dx: number, dy: number, input: Size): Region {
  const [mx, my] = [Math.round(dx), Math.round(dy)];
  if (handle === 'move') {
    return {
      ...from,
      x: clamp(from.x + mx, 0, input.width - from.width),
      y: clamp(from.y + my, 0, input.height - from.height),
    };
  }
  const [x, width] = side(from.x, from.width, mx, handle.includes('w'), handle.includes('e'), input.width);
  const [y, height] = side(from.y, from.height, my, handle.includes('n'), handle.includes('s'), input.height);
  return { x, y, width, height };
}

function side(at: number, size: number, by: number, low: boolean, high: boolean, whole: number): [number, number] {
  if (low) {
    const start = clamp(at + by, 0, at + size - 1);
    return [start, at + size - start];
  }
  return [at, high ? clamp(size + by, 1, whole - at) : size];
}

/** The region between two corners, in any order. */
export function between(x0: number, y0: number, x1: number, y1: number, input: Size): Region {
  const [x, width] = interval(x0, x1, input.width);
  const [y, height] = interval(y0, y1, input.height);
  return { x, y, width, height };
}

function interval(a: number, b: number, whole: number): [number, number] {
  const low = clamp(Math.floor(Math.min(a, b)), 0, whole - 1);
  const high = clamp(Math.ceil(Math.max(a, b)), low + 1, whole);
  return [low, high - low];
}

/**
 * The node that gets a new rectangle as its region: a node that still lets the whole picture through, the chosen one
 * first; else the chosen one; else the first. `null` where there is none.
 */
export function drawnBy(all: readonly { name: string; region: Region }[], chosen: string, input: Size): string | null {
  const free = all.filter(({ region }) => sameRegion(region, { x: 0, y: 0, ...input }));
  const first = (some: typeof all) => (some.find(({ name }) => name === chosen) ?? some[0])?.name;
  return first(free) ?? first(all) ?? null;
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), Math.max(low, high));
}

export const sameRegion = (a: Region, b: Region) =>
  a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
