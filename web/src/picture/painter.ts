/** Draws a picture, by the graphics card or by the processor. Types only. */

import type { Pixels, Scale } from '../model/contrast';

export interface Limits {
  low: number;
  high: number;
  scale: Scale;
}

/** Which part of the array is seen: its pixel in the upper left corner, and pixels of the array for one device pixel. */
export interface Part {
  x: number;
  y: number;
  stepX: number;
  stepY: number;
}

export type Colour = readonly [number, number, number];

export interface Painter {
  readonly kind: 'webgl' | 'plain';
  readonly canvas: OffscreenCanvas;
  /** 256 colours, 4 bytes each. */
  setColours(table: Uint8Array): void;
  /** The array that is drawn from now on. 64-bit values must have been converted before. */
  setPixels(pixels: Pixels, width: number, height: number): void;
  /** If `part` is `null`, only `outside` is drawn. `colours`: consecutive values that make one pixel, 1 or 3. */
  draw(limits: Limits, part: Part | null, outside: Colour, invalid: Colour, colours?: number): void;
}
