/** Histograms of pictures, percentiles and the scale from counts to colours. Pure functions; the picture worker uses them. */

export type Pixels =
  | Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array
  | Float32Array | Float64Array | BigInt64Array | BigUint64Array;

export type Scale = 'linear' | 'log' | 'root';

const BINS = 65536;

/**
 * Counts in 65536 bins. Integers up to 16 bits have a bin for each value. Wider types are sorted by the upper half of their
 * bits as a 32-bit float, which keeps a relative precision of 1/128 over the whole range, so that one wild pixel does not
 * push all others into the first bin.
 */
export class Histogram {
  readonly bins = new Uint32Array(BINS);
  min = Infinity;
  max = -Infinity;
  sum = 0;
  /** Pixels that are numbers. */
  count = 0;
  /** Pixels that are not a number. */
  invalid = 0;
  /** Pixels at the largest value of an integer type. */
  atLimit = 0;
  private exact = true;
  private offset = 0;

  /** Counts `pixels` anew. */
  fill(pixels: Pixels): this {
    this.bins.fill(0);
    [this.min, this.max, this.sum, this.count, this.invalid, this.atLimit] = [Infinity, -Infinity, 0, 0, 0, 0];
    // Types of 8 and 16 bits have a bin for each value: everything follows from the bins in one pass over them.
    const small = pixels.BYTES_PER_ELEMENT <= 2;
    this.exact = small;
    this.offset = pixels instanceof Int8Array ? 128 : pixels instanceof Int16Array ? 32768 : 0;
    if (small) this.fillSmall(pixels as Uint8Array);
    else this.fillWide(pixels);
    this.atLimit = this.limitCount(pixels);
    return this;
  }

  private fillSmall(pixels: Uint8Array | Uint16Array | Int8Array | Int16Array): void {
    const { bins, offset } = this;
    for (let i = 0; i < pixels.length; i++) {
      const bin = (pixels[i] as number) + offset;
      bins[bin] = (bins[bin] as number) + 1;
    }
    this.count = pixels.length;
    for (let bin = 0; bin < BINS; bin++) {
      const n = bins[bin] as number;
      if (n === 0) continue;
      if (this.min === Infinity) this.min = bin - offset;
      this.max = bin - offset;
      this.sum += n * (bin - offset);
    }
  }

  private fillWide(pixels: Pixels): void {
    const { bins } = this;
    for (let i = 0; i < pixels.length; i++) {
      const value = Number(pixels[i]);
      // NaN and infinity have no place on a scale.
      if (!Number.isFinite(value)) {
        this.invalid++;
        continue;
      }
      if (value < this.min) this.min = value;
      if (value > this.max) this.max = value;
      this.sum += value;
      this.count++;
      const bin = keyOf(value);
      bins[bin] = (bins[bin] as number) + 1;
    }
  }

  private limitCount(pixels: Pixels): number {
    const limit = LIMITS.get(pixels.constructor);
    if (limit === undefined || this.max < limit) return 0;
    // The bin of the limit is exact for small types; wide ones are counted again, which is rare.
    if (this.exact) return this.bins[limit + this.offset] ?? 0;
    let n = 0;
    for (const value of pixels) if (Number(value) === limit) n++;
    return n;
  }

  get mean(): number {
    return this.count > 0 ? this.sum / this.count : NaN;
  }

  /** The value below which `percent` of the pixels lie, as precise as the bins. */
  percentile(percent: number): number {
    if (this.count === 0) return NaN;
    const wanted = Math.min(this.count, Math.max(1, Math.ceil((percent / 100) * this.count)));
    for (let bin = 0, seen = 0; bin < BINS; bin++) {
      seen += this.bins[bin] as number;
      // The value of a bin may lie outside of the values found in it.
      if (seen >= wanted) return Math.min(this.max, Math.max(this.min, this.valueOf(bin)));
    }
    return this.max;
  }

  private valueOf(bin: number): number {
    return this.exact ? bin - this.offset : valueOfKey(bin);
  }

  /**
   * Counts in at most `most` bars of the same width on the scale, from the smallest to the largest value. On a linear scale each
   * bar stands for the same number of whole values, else the bars of a flat histogram would look like a comb.
   */
  bars(most: number, scale: Scale): Float32Array {
    const values = this.max - this.min + 1;
    const whole = this.exact && scale === 'linear' && this.count > 0;
    const n = whole ? Math.ceil(values / Math.ceil(values / most)) : most;
    const bars = new Float32Array(n);
    if (this.count === 0) return bars;
    const width = Math.ceil(values / most);
    const place = whole ? (value: number) => (value - this.min) / (width * n) : placer(this.min, this.max, scale);
    for (let bin = 0; bin < BINS; bin++) {
      const here = this.bins[bin] as number;
      if (here === 0) continue;
      const bar = Math.min(n - 1, Math.floor(place(Math.max(this.min, this.valueOf(bin))) * n));
      bars[bar] = (bars[bar] as number) + here;
    }
    return bars;
  }
}

const LIMITS = new Map<unknown, number>([
  [Uint8Array, 255], [Int8Array, 127], [Uint16Array, 65535], [Int16Array, 32767],
  [Uint32Array, 4294967295], [Int32Array, 2147483647],
]);

const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

/** The upper 16 bits of a float, in the order of the numbers. */
function keyOf(value: number): number {
  float[0] = value;
  const bits = word[0] as number;
  return (bits & 0x8000_0000 ? ~bits >>> 16 : (bits >>> 16) | 0x8000) & 0xffff;
}

function valueOfKey(key: number): number {
  word[0] = key & 0x8000 ? (key & 0x7fff) << 16 : ~(key << 16);
  return float[0] as number;
}

/** The value that is drawn linearly: the value itself, or its logarithm or root. Values below 0 are mirrored. */
export function warp(value: number, scale: Scale): number {
  if (scale === 'linear') return value;
  const size = Math.abs(value);
  const warped = scale === 'log' ? Math.log(1 + size) : Math.sqrt(size);
  return value < 0 ? -warped : warped;
}

/** The inverse of `warp`. */
export function unwarp(warped: number, scale: Scale): number {
  if (scale === 'linear') return warped;
  const size = Math.abs(warped);
  const value = scale === 'log' ? Math.exp(size) - 1 : size * size;
  return warped < 0 ? -value : value;
}

/** Where a value lies between `low` (0) and `high` (1) on a scale. */
export function placer(low: number, high: number, scale: Scale): (value: number) => number {
  const from = warp(low, scale);
  const width = warp(high, scale) - from || 1;
  return (value) => Math.min(1, Math.max(0, (warp(value, scale) - from) / width));
}

/** Which of 256 colours stands for a value; the shader computes the same. */
export function colourIndex(value: number, low: number, high: number, scale: Scale): number {
  return Math.floor(placer(low, high, scale)(value) * 255 + 0.5);
}
