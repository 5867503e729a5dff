/**
 * Draws one array through a colour map by the processor, pixel by pixel as the shader does (`shaders.ts`). Where WebGL is drawn by the
 * processor too, it takes many times as long, and the picture has to be read back from it.
 */

import { colourIndex, warp, type Pixels } from '../model/contrast';
import type { Colour, Limits, Painter, Part } from './painter';

/** A device pixel shows the largest of at most this many values across and down, which bounds the time to draw. */
const MOST = 8;

/** For each device pixel in a row or a column the first and the last value that fall on it, and the one in its middle. */
interface Falls {
  first: Int32Array;
  last: Int32Array;
  /** -1: outside of the array. The others then mean nothing. */
  middle: Int32Array;
}

/** Some values of the type of the picture, which is drawn faster than from floats. */
type Row = Uint8Array;
const row = (like: Pixels, length: number) => new (like.constructor as Uint8ArrayConstructor)(length);

export class PlainPainter implements Painter {
  readonly kind = 'plain';
  private readonly pen: OffscreenCanvasRenderingContext2D;
  private colours = new Uint32Array(256);
  private held: { pixels: Pixels; width: number; height: number } | null = null;
  private image: ImageData | null = null;
  /** For each value of a type of up to 16 bits its colour. */
  private inks = new Uint32Array();

  constructor(readonly canvas: OffscreenCanvas) {
    // Read back when a picture is saved.
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
      else this.drawValues(out, limits, across, down, word(outside), word(invalid));
    }
    this.pen.putImageData(this.image, 0, 0);
  }

  /** Makes the colours of a row of values. */
  private inker(limits: Limits, invalid: number): (values: Row, out: Uint32Array, to: number) => void {
    const { colours } = this;
    const low = warp(limits.low, limits.scale);
    // A span of 0 would divide by zero.
    const span = Math.max(warp(limits.high, limits.scale) - low, 1e-6);
    const at = (value: number) => {
      const place = (warp(value, limits.scale) - low) / span;
      return colours[place >= 1 ? 255 : place > 0 ? Math.floor(place * 255 + 0.5) : 0] as number;
    };
    const { pixels } = this.held as { pixels: Pixels };
    // Wide types have too many values for a table.
    if (pixels.BYTES_PER_ELEMENT > 2) {
      return (values, out, to) => values.forEach((value, x) => (out[to + x] = Number.isNaN(value) ? invalid : at(value)));
    }
    // Of each value that there can be.
    const count = 2 ** (8 * pixels.BYTES_PER_ELEMENT);
    const from = pixels instanceof Int8Array || pixels instanceof Int16Array ? count / 2 : 0;
    // Kept between pictures, as long as the type is the same.
    if (this.inks.length !== count) this.inks = new Uint32Array(count);
    const { inks } = this;
    for (let i = 0; i < count; i++) inks[i] = at(i - from);
    return (values, out, to) => {
      for (let x = 0; x < values.length; x++) out[to + x] = inks[(values[x] as number) + from] as number;
    };
  }

  private drawValues(out: Uint32Array, limits: Limits, across: Falls, down: Falls, outside: number, invalid: number): void {
    const { pixels, width } = this.held as { pixels: Row; width: number };
    const ink = this.inker(limits, invalid);
    const long = across.middle.length;
    const [values, tallest] = [row(pixels, long), row(pixels, width)];
    for (let y = 0; y < down.middle.length; y++) {
      const to = y * long;
      const [first, last] = [down.first[y] as number, down.last[y] as number];
      if ((down.middle[y] as number) < 0) {
        out.fill(outside, to, to + long);
      } else if (y > 0 && (down.middle[y - 1] as number) >= 0 && first === down.first[y - 1] && last === down.last[y - 1]) {
        // Enlarged pictures repeat rows; copying them is faster than drawing.
        out.copyWithin(to, to - long, to);
      } else {
        largestDown(pixels, width, first, last, tallest);
        largestAcross(tallest, across, values);
        ink(values, out, to);
        for (let x = 0; x < long; x++) if ((across.middle[x] as number) < 0) out[to + x] = outside;
      }
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

// Of the values on one device pixel the largest is shown, so that a single bright one never vanishes.

function largestDown(pixels: Row, width: number, first: number, last: number, found: Row): void {
  for (let column = 0, i = first * width; column < width; column++, i++) found[column] = pixels[i] as number;
  for (let row = first + 1; row <= last; row++) {
    for (let column = 0, i = row * width; column < width; column++, i++) {
      const value = pixels[i] as number;
      const most = found[column] as number;
      // `most !== most`: a NaN gives way to any number.
      if (value > most || most !== most) found[column] = value;
    }
  }
}

function largestAcross(values: Row, { first, last }: Falls, found: Row): void {
  for (let x = 0; x < found.length; x++) {
    let most = values[first[x] as number] as number;
    for (let column = (first[x] as number) + 1; column <= (last[x] as number); column++) {
      const value = values[column] as number;
      if (value > most || most !== most) most = value;
    }
    found[x] = most;
  }
}

/** The values that fall on each of `count` device pixels: all values that the pixel covers, or the one in its middle if
 * it is smaller than a value. */
function falls(from: number, step: number, count: number, size: number): Falls {
  const [first, last, middle] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  for (let i = 0; i < count; i++) {
    const at = from + i * step;
    const inside = Math.floor(at + step / 2);
    const isOne = step <= 1;
    middle[i] = inside < 0 || inside >= size ? -1 : inside;
    first[i] = Math.min(size - 1, Math.max(0, isOne ? inside : Math.floor(at)));
    last[i] = isOne ? (first[i] as number) : Math.min(Math.max(Math.ceil(at + step) - 1, first[i] as number), (first[i] as number) + MOST - 1, size - 1);
  }
  return { first, last, middle };
}

const bytes = new Uint8Array(4);
const asWord = new Uint32Array(bytes.buffer);

/** A colour as the four bytes of a pixel in memory, in the byte order of this machine. */
function word([red, green, blue]: Colour): number {
  [bytes[0], bytes[1], bytes[2], bytes[3]] = [red, green, blue, 255];
  return asWord[0] as number;
}
