/** Which part of an array is seen where: zoom and place, in pixels of the whole array and CSS pixels of the canvas. Pure functions. */

import { clamp, type Size } from '../model/roi';

/** `zoomX`, `zoomY`: CSS pixels for one pixel of the array, across and down; `x`, `y`: the place in the array at the
 * middle of the canvas. */
export interface View {
  zoomX: number;
  zoomY: number;
  x: number;
  y: number;
}

/** Whether pixels are as wide as high, or each axis has a scale of its own. */
export type Axes = 'equal' | 'own';

/** The wanted view: the whole array, or a zoom of each axis and the place in the middle. Empty axes: the default for
 * the array. */
export interface Wanted {
  zoom: 'fit' | { x: number; y: number };
  x: number;
  y: number;
  axes: Axes | '';
}

/** From this ratio of its sides on, little of the shorter one is seen beside the longer one. */
const EXTREME = 8;
// Largest zoom: CSS pixels for one pixel of the array.
const MOST_ZOOM = 64;

export function usualAxes({ width, height }: Size): Axes {
  return Math.max(width, height) >= EXTREME * Math.max(1, Math.min(width, height)) ? 'own' : 'equal';
}

export function viewOf({ zoom, x, y, axes }: Wanted, array: Size, canvas: Size): View {
  const found = axes || usualAxes(array);
  return zoom === 'fit' ? fitted(array, canvas, found) : kept({ zoomX: zoom.x, zoomY: zoom.y, x, y }, array, canvas, found);
}

/** The whole array, as large as it fits. */
export function fitted(array: Size, canvas: Size, axes: Axes = 'equal'): View {
  const fit = (room: number, whole: number) => Math.max(1e-6, room / Math.max(1, whole));
  const [x, y] = [fit(canvas.width, array.width), fit(canvas.height, array.height)];
  const [zoomX, zoomY] = axes === 'own' ? [x, y] : [Math.min(x, y), Math.min(x, y)];
  return { zoomX, zoomY, x: array.width / 2, y: array.height / 2 };
}

export const toArray = (view: View, canvas: Size, x: number, y: number) => ({
  x: view.x + (x - canvas.width / 2) / view.zoomX,
  y: view.y + (y - canvas.height / 2) / view.zoomY,
});

export const toCanvas = (view: View, canvas: Size, x: number, y: number) => ({
  x: (x - view.x) * view.zoomX + canvas.width / 2,
  y: (y - view.y) * view.zoomY + canvas.height / 2,
});

/** Larger by a factor across and down, with the pixel under (`x`, `y`) of the canvas staying where it is. */
export function zoomedAt(view: View, canvas: Size, x: number, y: number, across: number, down = across): View {
  const at = toArray(view, canvas, x, y);
  const [zoomX, zoomY] = [view.zoomX * across, view.zoomY * down];
  return { zoomX, zoomY, x: at.x - (x - canvas.width / 2) / zoomX, y: at.y - (y - canvas.height / 2) / zoomY };
}

/**
 * Keeps the array in sight: never beyond its edges, centred where the array is smaller than the canvas. The array's
 * corner lies on a whole pixel of the canvas, so that at 1:1 one pixel is one pixel.
 */
export function kept(view: View, array: Size, canvas: Size, axes: Axes = 'equal'): View {
  const fit = fitted(array, canvas, axes);
  // A picture can always be fitted, and always be seen at 1:1.
  const within = (zoom: number, fitting: number) => clamp(zoom, Math.min(1, fitting), Math.max(MOST_ZOOM, fitting));
  const zoomX = within(view.zoomX, fit.zoomX);
  const zoomY = axes === 'own' ? within(view.zoomY, fit.zoomY) : zoomX;
  const keep = (at: number, whole: number, room: number, zoom: number) => {
    const seen = room / zoom;
    const middle = seen >= whole ? whole / 2 : clamp(at, seen / 2, whole - seen / 2);
    // Rounded in canvas pixels, so that values fall on whole pixels of the screen.
    return (room / 2 - Math.round(room / 2 - middle * zoom)) / zoom;
  };
  return { zoomX, zoomY, x: keep(view.x, array.width, canvas.width, zoomX), y: keep(view.y, array.height, canvas.height, zoomY) };
}

/** Round numbers for the ticks of an axis, about `wanted` of them between `low` and `high`. */
export function ticks(low: number, high: number, wanted: number): number[] {
  const rough = (high - low) / Math.max(1, wanted);
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10);
  // The tolerance keeps a tick at the border in spite of rounding.
  const first = Math.ceil(low / step - 1e-9);
  const n = Math.floor(high / step + 1e-9) - first + 1;
  // Twelve digits: enough for labels, and without 0.30000000000000004.
  return Array.from({ length: Math.max(0, Math.min(n, 100)) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
