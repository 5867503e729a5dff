import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bytesOf, DTYPES, readHeader, readHistory, readPicture, readTable } from '../../src/link/wire';

function message(dtype: number, width: number, height: number, change: (view: DataView) => void = () => {}, colours = 1): ArrayBuffer {
  const payload = width * height * colours * bytesOf(DTYPES[dtype]!);
  const view = new DataView(new ArrayBuffer(64 + payload));
  [1, 1, colours, dtype, 0, 1].forEach((byte, i) => view.setUint8(i, byte));
  view.setUint16(6, 1 | 8, true);
  view.setBigUint64(8, 2n ** 60n + 1n, true);
  view.setBigInt64(16, 1_795_000_000_000_000_001n, true);
  [[24, width], [28, height], [32, 5], [36, 6], [44, 2048], [48, 1024], [52, 3], [56, 1500], [60, payload]].forEach(
    ([at, value]) => view.setUint32(at!, value!, true));
  view.setUint16(40, 2, true);
  view.setUint16(42, 2, true);
  change(view);
  return view.buffer as ArrayBuffer;
}

test('a header, field by field', () => {
  expect(readHeader(message(3, 4, 2))).toEqual({
    kind: 'picture', colours: 1, dtype: 'u16', reduce: 'max', damaged: true, last: false, cut: false, held: true, scaled: false,
    sequence: 2n ** 60n + 1n, timeNs: 1_795_000_000_000_000_001n, width: 4, height: 2, x: 5, y: 6, binX: 2, binY: 2,
    fullWidth: 2048, fullHeight: 1024, leftOut: 3, ageUs: 1500, bytes: 16,
  });
});

test('pixels of every type are views of the message', () => {
  DTYPES.forEach((_, dtype) => {
    const bytes = message(dtype, 4, 2);
    const { pixels } = readPicture(bytes);
    expect(pixels).toHaveLength(8);
    expect(pixels.buffer).toBe(bytes);
  });
  expect(readPicture(message(1, 4, 2, undefined, 3)).pixels).toHaveLength(24);
});

test.each([
  ['too short', () => new ArrayBuffer(63)],
  ['another version', () => message(3, 4, 2, (v) => v.setUint8(0, 2))],
  ['an unknown kind', () => message(3, 4, 2, (v) => v.setUint8(1, 9))],
  ['an unknown type', () => message(3, 4, 2, (v) => v.setUint8(3, 10))],
  ['an unknown encoding', () => message(3, 4, 2, (v) => v.setUint8(4, 1))],
  ['a width that the payload has not', () => message(3, 4, 2, (v) => v.setUint32(24, 5, true))],
  ['a payload that is not there', () => message(3, 4, 2, (v) => v.setUint32(60, 4_000_000_000, true))],
  ['four colours', () => message(3, 4, 2, (v) => v.setUint8(2, 4))],
])('refused: %s', (_, make) => {
  expect(() => readPicture(make())).toThrow();
});

function table(columns: [string, number, number[]][], height: number, cut = 0): ArrayBuffer {
  const names = columns.map(([name]) => new TextEncoder().encode(name));
  const head = 2 + names.reduce((sum, name) => sum + name.length + 6, 0);
  let at = Math.ceil(head / 8) * 8;
  const offsets = columns.map(([, dtype]) => {
    const here = at;
    at += Math.ceil((height * bytesOf(DTYPES[dtype]!)) / 8) * 8;
    return here;
  });
  const payload = new DataView(new ArrayBuffer(64 + at), 64);
  payload.setUint16(0, columns.length, true);
  let place = 2;
  columns.forEach(([, dtype, values], i) => {
    payload.setUint8(place, names[i]!.length);
    names[i]!.forEach((byte, k) => payload.setUint8(place + 1 + k, byte));
    payload.setUint8(place + 1 + names[i]!.length, dtype);
    payload.setUint32(place + 2 + names[i]!.length, offsets[i]!, true);
    place += names[i]!.length + 6;
    values.forEach((value, k) => payload.setUint16(offsets[i]! + 2 * k, value, true));
  });
  const view = new DataView(payload.buffer);
  [1, 2, 0, 0, 0, 0].forEach((byte, i) => view.setUint8(i, byte));
  view.setUint32(24, columns.length, true);
  view.setUint32(28, height, true);
  view.setUint32(60, at - cut, true);
  return payload.buffer as ArrayBuffer;
}

test('a table', () => {
  const { columns } = readTable(table([['channel', 3, [7, 8, 9]], ['µs', 3, [1, 2, 3]]], 3));
  expect([...columns].map(([name, values]) => [name, Array.from(values as Uint16Array)])).toEqual([['channel', [7, 8, 9]], ['µs', [1, 2, 3]]]);
});

test('a table that lies about its columns is refused', () => {
  expect(() => readTable(table([['channel', 3, [7, 8, 9]]], 3, 8))).toThrow(/outside/);
  expect(() => readTable(table([['channel', 3, [7]]], 1, 20))).toThrow();
});

test('history', () => {
  const bytes = Buffer.alloc(16 + 2 * 8 + 2 * 2 * 4);
  [1, 2, 2, 1].forEach((n, i) => bytes.writeUInt32LE(n, i * 4));
  [1000, 1100].forEach((t, i) => bytes.writeDoubleLE(t, 16 + i * 8));
  [1.5, NaN, 3, 4].forEach((v, i) => bytes.writeFloatLE(v, 32 + i * 4));
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const history = readHistory(copy);
  expect([history.step, [...history.times], history.series.map((s) => [...s])]).toEqual(['coarse', [1000, 1100], [[1.5, NaN], [3, 4]]]);
  expect(() => readHistory(copy.slice(0, 40))).toThrow(/wanted/);
});

// Messages that the server's own tests have written, if they lie here.
const GOLDEN = fileURLToPath(new URL('../../golden', import.meta.url));
if (existsSync(GOLDEN)) test('golden messages of the server', () => {
  const names = readdirSync(GOLDEN).filter((name) => name.endsWith('.bin'));
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    const bytes = new Uint8Array(readFileSync(`${GOLDEN}/${name}`)).buffer as ArrayBuffer;
    if (name.startsWith('history')) {
      const { times, series } = readHistory(bytes);
      expect([...times]).toEqual([1_795_000_001_000, 1_795_000_002_000]);
      expect(series.map((values) => [...values])).toEqual([[1, 1], [2, 2], [0, 0]]);
      for (let length = 0; length < bytes.byteLength; length++) expect(() => readHistory(bytes.slice(0, length)), `${length}`).toThrow(/wanted/);
    } else if (readHeader(bytes).kind === 'picture') readPicture(bytes);
    else readTable(bytes);
  }
});
