/** Messages between the page and the worker of a picture. Types only. */

import type { Scale } from '../model/contrast';
import type { Line } from '../model/line';
import type { Size } from '../model/roi';
import type { MapName } from './maps';
import type { Colour } from './painter';
import type { Wanted } from './view';

/** Fixed limits, or percentiles of the shown values. */
export type Contrast = { low: number; high: number } | { percentLow: number; percentHigh: number };

export interface Look {
  contrast: Contrast;
  scale: Scale;
  map: MapName;
  outside: Colour;
  invalid: Colour;
}

/** The picture that the worker is to show. */
export interface Sight extends Wanted {
  /** CSS pixels. */
  canvas: Size;
  /** Device pixels for one CSS pixel. */
  density: number;
}

export interface Point {
  x: number;
  y: number;
}

/** The renderer: the graphics card where there is one, or the choice in the address. */
export type Drawing = '' | 'webgl' | 'plain';

export type ToWorker =
  /** The next picture, before there is a canvas; `fit` is a guess of its size. */
  | { kind: 'ahead'; base: string; from: string; fit: [number, number] }
  | { kind: 'start'; canvas: OffscreenCanvas; base: string; drawing: Drawing }
  | { kind: 'source'; from: string | null }
  | { kind: 'look'; look: Look }
  | { kind: 'sight'; sight: Sight }
  | { kind: 'hold'; hold: boolean }
  | { kind: 'seen'; seen: boolean }
  | { kind: 'cross'; at: Point | null }
  | { kind: 'line'; line: Line | null }
  | { kind: 'save'; as: 'png' | 'npy'; name: string };

export interface PictureInfo {
  sequence: string;
  dtype: string;
  colours: number;
  full: Size;
  /** Where on the detector it was read, as the server says it. */
  place: string | null;
  /** Of the payload, and pixels of the array for one of them. */
  size: Size;
  binX: number;
  binY: number;
  reduce: string;
  held: boolean;
  damaged: boolean;
  leftOut: number;
  ageMs: number;
  shownHz: number;
  drawing: 'webgl' | 'plain';
  min: number;
  max: number;
  mean: number;
  atLimit: number;
  invalid: number;
  low: number;
  high: number;
  /** Of equal width on the scale, from `min` to `max`. */
  bars: Float32Array;
}

export interface Cross {
  x: number;
  y: number;
  /** As text, because 64-bit counts are exact too; several for colours. `null`: not known. */
  value: string | null;
  /** False when the value is of a newer frame than the picture, because the picture is binned. */
  exact: boolean;
  /** Values along the row and the column of the cross-hair, and the pixel of the first value and of one step. */
  row: Float32Array;
  column: Float32Array;
  x0: number;
  y0: number;
  stepX: number;
  stepY: number;
}

export type FromWorker =
  | { kind: 'shown'; sequence: string }
  | { kind: 'picture'; info: PictureInfo }
  | { kind: 'cross'; cross: Cross }
  | { kind: 'line'; values: Float32Array }
  | { kind: 'saved'; file: Blob; name: string }
  /** Why no frame comes; empty when one has come. */
  | { kind: 'unanswered'; text: string }
  | { kind: 'problem'; text: string };
