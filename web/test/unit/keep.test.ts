import { expect, test } from 'vitest';
import type { Header, Picture } from '../../src/link/wire';
import { nameOf, npyOf } from '../../src/picture/keep';

const header = {
  reduce: 'none', binX: 1, binY: 1, width: 3, height: 2, x: 0, y: 0, fullWidth: 3, fullHeight: 2, sequence: 12n, colours: 1,
} as Header;

test('the name of a file says what of the frame it has', () => {
  expect(nameOf('camera.out', header, false)).toBe('camera.out-12');
  expect(nameOf('Epix 100, event 7', header, true)).toBe('Epix-100-event-7');
  const binned = { ...header, reduce: 'max', binX: 13, binY: 1, fullWidth: 38 } as Header;
  expect(nameOf('apa.out', binned, false)).toBe('apa.out-12-max-13x1');
  expect(nameOf('apa.out', { ...header, x: 64, fullWidth: 100 }, false)).toBe('apa.out-12-from-64-0');
});

const text = (file: Uint8Array) => new TextDecoder('latin1').decode(file.slice(10, 128));

test('an array of NumPy has the shape and the type of the picture, and its bytes', () => {
  const pixels = Uint16Array.of(1, 2, 3, 4, 5, 65535);
  const file = npyOf({ header, pixels, place: null });
  expect(text(file)).toContain("{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }");
  const head = new DataView(file.buffer).getUint16(8, true);
  expect((10 + head) % 64).toBe(0);
  expect([...new Uint16Array(file.slice(10 + head).buffer)]).toEqual([...pixels]);
  const kinds: [Picture['pixels'], string][] = [
    [new Int8Array(6), '|i1'], [new Uint8Array(6), '|u1'], [new Float32Array(6), '<f4'], [new BigUint64Array(6), '<u8'], [new BigInt64Array(6), '<i8'],
  ];
  for (const [values, descr] of kinds) expect(text(npyOf({ header, pixels: values, place: null }))).toContain(`'${descr}'`);
  const colours = npyOf({ header: { ...header, width: 1, colours: 3 }, pixels: new Uint8Array(6), place: null });
  expect(text(colours)).toContain('(2, 1, 3)');
});
