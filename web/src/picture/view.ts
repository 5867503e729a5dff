/** Which part of an array is seen where: zoom and place, in pixels of the whole array and CSS pixels of the canvas. Pure functions. */

import { clamp, type Size } from '../model/roi';

/** `zoom`: CSS pixels for one pixel of the array; `x`, `y`: what of the array lies in the middle of the canvas. */
export interface View {
  zoom: number;
  x: number;
  y: number;
}

export type Zoom = 'fit' | number;

/** The whole array, as large as it fits. */
export function fitted(array: Size, canvas: Size): View {
  const zoom = Math.min(canvas.width / Math.max(1, array.width), canvas.height / Math.max(1, array.height));
  return { zoom: Math.max(zoom, 1e-6), x: array.width / 2, y: array.height / 2 };
}

export const toArray = (view: View, canvas: Size, x: number, y: number) => ({
  x: view.x + (x - canvas.width / 2) / view.zoom,
  y: view.y + (y - canvas.height / 2) / view.zoom,
});

export const toCanvas = (view: View, canvas: Size, x: number, y: number) => ({
  x: (x - view.x) * view.zoom + canvas.width / 2,
  y: (y - view.y) * view.zoom + canvas.height / 2,
});

/** Another zoom with the pixel under (`x`, `y`) of the canvas staying where it is. */
export function zoomedAt(view: View, canvas: Size, x: number, y: number, zoom: number): View {
  const at = toArray(view, canvas, x, y);
  return { zoom, x: at.x - (x - canvas.width / 2) / zoom, y: at.y - (y - canvas.height / 2) / zoom };
}

/**
 * Keeps the array in sight: never beyond its edges, centred where it is smaller than the canvas. Its corner lies on a whole pixel of
 * the canvas, so that at 1:1 one pixel is one pixel.
 */
export function kept(view: View, array: Size, canvas: Size): View {
  const smallest = Math.min(1, fitted(array, canvas).zoom);
  const zoom = clamp(view.zoom, smallest, 64);
  const keep = (at: number, whole: number, room: number) => {
    const seen = room / zoom;
    const middle = seen >= whole ? whole / 2 : clamp(at, seen / 2, whole - seen / 2);
    return (room / 2 - Math.round(room / 2 - middle * zoom)) / zoom;
  };
  return { zoom, x: keep(view.x, array.width, canvas.width), y: keep(view.y, array.height, canvas.height) };
}

/** Round numbers for the ticks of an axis, about `wanted` of them between `low` and `high`. */
export function ticks(low: number, high: number, wanted: number): number[] {
  const rough = (high - low) / Math.max(1, wanted);
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const n = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, Math.min(n, 100)) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
