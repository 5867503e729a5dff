/** Binary answers of the server: pictures, tables, history. Every size is checked before it is used. Pure functions. */

import type { Pixels } from '../model/contrast';

export const HEADER_BYTES = 64;
export const DTYPES = ['i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f32', 'f64'] as const;
export type DType = (typeof DTYPES)[number];

const ARRAYS = {
  i8: Int8Array, u8: Uint8Array, i16: Int16Array, u16: Uint16Array, i32: Int32Array, u32: Uint32Array,
  i64: BigInt64Array, u64: BigUint64Array, f32: Float32Array, f64: Float64Array,
} as const;

export const bytesOf = (dtype: DType) => ARRAYS[dtype].BYTES_PER_ELEMENT;

export interface Header {
  kind: 'picture' | 'table';
  /** Colours of a pixel: 1, or 3. */
  colours: number;
  dtype: DType;
  /** Of a bin: `none` when one pixel is one pixel of the array. */
  reduce: 'none' | 'max' | 'mean' | 'pick';
  damaged: boolean;
  last: boolean;
  cut: boolean;
  held: boolean;
  scaled: boolean;
  sequence: bigint;
  timeNs: bigint;
  width: number;
  height: number;
  x: number;
  y: number;
  binX: number;
  binY: number;
  fullWidth: number;
  fullHeight: number;
  leftOut: number;
  ageUs: number;
  bytes: number;
}

export interface Picture {
  header: Header;
  pixels: Pixels;
  /** Where on the detector it was read, as the server says it beside the message; `null` where it does not. */
  place: string | null;
}

const REDUCES = ['none', 'max', 'mean', 'pick'] as const;

export function readHeader(message: ArrayBuffer): Header {
  if (message.byteLength < HEADER_BYTES) {
    throw new Error(`wanted a header of ${HEADER_BYTES} bytes, found ${message.byteLength}`);
  }
  const view = new DataView(message);
  const u32 = (at: number) => view.getUint32(at, true);
  const is = (what: string, ok: boolean, found: number) => {
    if (!ok) throw new Error(`a picture's header: unknown ${what} ${found}`);
  };
  const [version, kind, colours, dtype, encoding, reduce] = new Uint8Array(message, 0, 6);
  const [v = 0, k = 0, c = 0, d = 0, e = 0, r = 0] = [version, kind, colours, dtype, encoding, reduce];
  is('version', v === 1, v);
  is('kind', k === 1 || k === 2, k);
  is('element type', d < DTYPES.length, d);
  is('encoding', e === 0, e);
  is('reduction', r < REDUCES.length, r);
  const flags = view.getUint16(6, true);
  const header: Header = {
    kind: k === 1 ? 'picture' : 'table', colours: c, dtype: DTYPES[d] as DType, reduce: REDUCES[r] as Header['reduce'],
    damaged: (flags & 1) !== 0, last: (flags & 2) !== 0, cut: (flags & 4) !== 0, held: (flags & 8) !== 0,
    scaled: (flags & 16) !== 0, sequence: view.getBigUint64(8, true), timeNs: view.getBigInt64(16, true),
    width: u32(24), height: u32(28), x: u32(32), y: u32(36), binX: view.getUint16(40, true) || 1,
    binY: view.getUint16(42, true) || 1, fullWidth: u32(44), fullHeight: u32(48), leftOut: u32(52), ageUs: u32(56),
    bytes: u32(60),
  };
  if (message.byteLength < HEADER_BYTES + header.bytes) {
    throw new Error(`wanted a payload of ${header.bytes} bytes, found ${message.byteLength - HEADER_BYTES}`);
  }
  return header;
}

/** A picture; its pixels are a view of the message, nothing is copied. */
export function readPicture(message: ArrayBuffer, place: string | null = null): Picture {
  const header = readHeader(message);
  if (header.kind !== 'picture') throw new Error('wanted a picture, found a table');
  if (header.colours !== 1 && header.colours !== 3) throw new Error(`wanted 1 or 3 colours, found ${header.colours}`);
  const wanted = header.width * header.height * header.colours;
  if (wanted * bytesOf(header.dtype) !== header.bytes) {
    throw new Error(`wanted ${header.width} x ${header.height} ${header.dtype}, found ${header.bytes} bytes`);
  }
  return { header, pixels: new ARRAYS[header.dtype](message, HEADER_BYTES, wanted), place };
}

export interface Table {
  header: Header;
  columns: Map<string, Pixels>;
}

/** A table: names and columns of the same length. */
export function readTable(message: ArrayBuffer): Table {
  const header = readHeader(message);
  if (header.kind !== 'table') throw new Error('wanted a table, found a picture');
  const payload = new DataView(message, HEADER_BYTES, header.bytes);
  const columns = new Map<string, Pixels>();
  let at = 2;
  const need = (bytes: number) => {
    if (at + bytes > header.bytes) throw new Error(`a table of ${header.bytes} bytes ends within its names`);
  };
  if (header.bytes < 2) throw new Error('wanted the number of columns, found an empty table');
  for (let left = payload.getUint16(0, true); left > 0; left--) {
    need(1);
    const length = payload.getUint8(at);
    need(length + 6);
    const name = new TextDecoder().decode(new Uint8Array(message, HEADER_BYTES + at + 1, length));
    const dtype = DTYPES[payload.getUint8(at + 1 + length)];
    const offset = payload.getUint32(at + 2 + length, true);
    if (!dtype) throw new Error(`column \`${name}\`: unknown element type`);
    const end = offset + header.height * bytesOf(dtype);
    if (end > header.bytes || offset % 8 !== 0) throw new Error(`column \`${name}\` lies outside of its table`);
    columns.set(name, new ARRAYS[dtype](message, HEADER_BYTES + offset, header.height));
    at += length + 6;
  }
  return { header, columns };
}

export interface History {
  step: 'fine' | 'coarse';
  /** Milliseconds since 1970. */
  times: Float64Array;
  series: Float32Array[];
}

export function readHistory(message: ArrayBuffer): History {
  if (message.byteLength < 16) throw new Error(`wanted a history's header of 16 bytes, found ${message.byteLength}`);
  const view = new DataView(message);
  const [version, n, rows, step] = [0, 4, 8, 12].map((at) => view.getUint32(at, true)) as [number, number, number, number];
  if (version !== 1) throw new Error(`unknown version ${version} of history`);
  const wanted = 16 + rows * 8 + n * rows * 4;
  if (message.byteLength !== wanted) throw new Error(`wanted ${wanted} bytes of history, found ${message.byteLength}`);
  const series = Array.from({ length: n }, (_, i) => new Float32Array(message, 16 + rows * 8 + i * rows * 4, rows));
  return { step: step === 0 ? 'fine' : 'coarse', times: new Float64Array(message, 16, rows), series };
}
