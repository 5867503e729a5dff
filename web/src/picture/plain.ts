/**
 * Draws one array through a colour map by the processor, pixel by pixel as the shader does (`shaders.ts`). Where WebGL is drawn by the
 * processor too, it takes many times as long, and the picture has to be read back from it.
 */

import { colourIndex, warp, type Pixels } from '../model/contrast';
import type { Colour, Limits, Painter, Part } from './painter';

/** The largest number of values across and down of which the largest is shown. */
const MOST = 8;

/** For each device pixel in a row or a column the first and the last value that fall on it, and the one in its middle. */
interface Falls {
  first: Int32Array;
  last: Int32Array;
  /** -1: outside of the array. */
  middle: Int32Array;
}

export class PlainPainter implements Painter {
  readonly kind = 'plain';
  private readonly pen: OffscreenCanvasRenderingContext2D;
  private colours = new Uint32Array(256);
  private held: { pixels: Pixels; width: number; height: number } | null = null;
  private image: ImageData | null = null;
  /** For each value of a type of up to 16 bits its colour. */
  private inks = new Uint32Array();

  constructor(readonly canvas: OffscreenCanvas) {
    const pen = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    if (!pen) throw new Error('this browser offers no canvas to draw pictures on');
    this.pen = pen;
  }

  setColours(table: Uint8Array): void {
    this.colours = new Uint32Array(Uint8Array.from(table).buffer);
  }

  setPixels(pixels: Pixels, width: number, height: number): void {
    this.held = { pixels, width, height };
  }

  draw(limits: Limits, part: Part | null, outside: Colour, invalid: Colour, colours = 1): void {
    const { width, height } = this.canvas;
    if (this.image?.width !== width || this.image.height !== height) this.image = new ImageData(width, height);
    const out = new Uint32Array(this.image.data.buffer);
    if (!part || !this.held) out.fill(word(outside));
    else {
      const across = falls(part.x, part.stepX, width, this.held.width / colours);
      const down = falls(part.y, part.stepY, height, this.held.height);
      if (colours === 3) this.drawColours(out, limits, across, down, word(outside));
      else this.drawValues(out, this.ink(limits, word(invalid)), across, down, word(outside), part.stepX > 1);
    }
    this.pen.putImageData(this.image, 0, 0);
  }

  /** The colour of a value. */
  private ink(limits: Limits, invalid: number): (value: number) => number {
    const { colours } = this;
    const low = warp(limits.low, limits.scale);
    const span = Math.max(warp(limits.high, limits.scale) - low, 1e-6);
    const at = (value: number) => {
      const place = (warp(value, limits.scale) - low) / span;
      return colours[place >= 1 ? 255 : place > 0 ? Math.floor(place * 255 + 0.5) : 0] as number;
    };
    const { pixels } = this.held as { pixels: Pixels };
    if (pixels.BYTES_PER_ELEMENT > 2) return (value) => (Number.isNaN(value) ? invalid : at(value));
    const count = 2 ** (8 * pixels.BYTES_PER_ELEMENT);
    const from = pixels instanceof Int8Array || pixels instanceof Int16Array ? count / 2 : 0;
    if (this.inks.length !== count) this.inks = new Uint32Array(count);
    const { inks } = this;
    for (let i = 0; i < count; i++) inks[i] = at(i - from);
    return (value) => inks[value + from] as number;
  }

  private drawValues(
    out: Uint32Array, ink: (value: number) => number, across: Falls, down: Falls, outside: number, isReduced: boolean,
  ): void {
    const { pixels, width } = this.held as { pixels: Pixels; width: number };
    const long = across.middle.length;
    for (let y = 0, before = -1; y < down.middle.length; y++) {
      const row = down.middle[y] as number;
      const to = y * long;
      if (row < 0) out.fill(outside, to, to + long);
      else if (row === before && !isReduced) out.copyWithin(to, to - long, to);
      else for (let x = 0; x < long; x++) {
        const column = across.middle[x] as number;
        if (column < 0) out[to + x] = outside;
        else out[to + x] = ink(isReduced ? largest(pixels, width, across, down, x, y) : (pixels[row * width + column] as number));
      }
      before = row;
    }
  }

  private drawColours(out: Uint32Array, limits: Limits, across: Falls, down: Falls, outside: number): void {
    const { pixels, width } = this.held as { pixels: Pixels; width: number };
    const long = across.middle.length;
    const at = (i: number) => colourIndex(pixels[i] as number, limits.low, limits.high, limits.scale);
    for (let y = 0; y < down.middle.length; y++) {
      const row = down.middle[y] as number;
      for (let x = 0; x < long; x++) {
        const column = across.middle[x] as number;
        const i = row * width + column * 3;
        out[y * long + x] = row < 0 || column < 0 ? outside : word([at(i), at(i + 1), at(i + 2)]);
      }
    }
  }
}

/** Of the values on one device pixel the largest, so that a single bright one never vanishes. */
function largest(pixels: Pixels, width: number, across: Falls, down: Falls, x: number, y: number): number {
  let found = pixels[(down.middle[y] as number) * width + (across.middle[x] as number)] as number;
  for (let row = down.first[y] as number; row <= (down.last[y] as number); row++) {
    for (let column = across.first[x] as number; column <= (across.last[x] as number); column++) {
      const value = pixels[row * width + column] as number;
      if (value > found || Number.isNaN(found)) found = value;
    }
  }
  return found;
}

function falls(from: number, step: number, count: number, size: number): Falls {
  const [first, last, middle] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  for (let i = 0; i < count; i++) {
    const at = from + i * step;
    const inside = Math.floor(at + step / 2);
    middle[i] = inside < 0 || inside >= size ? -1 : inside;
    first[i] = Math.max(0, Math.floor(at));
    last[i] = Math.min(Math.max(Math.ceil(at + step) - 1, first[i] as number), (first[i] as number) + MOST - 1, size - 1);
  }
  return { first, last, middle };
}

const bytes = new Uint8Array(4);
const asWord = new Uint32Array(bytes.buffer);

/** A colour as the four bytes of a pixel lie in memory, in whatever order this machine reads them. */
function word([red, green, blue]: Colour): number {
  [bytes[0], bytes[1], bytes[2], bytes[3]] = [red, green, blue, 255];
  return asWord[0] as number;
}
