/** Files of NumPy. Pure functions. */

import type { Pixels } from './contrast';

const BEFORE = 10;

/** An array with its first axis slowest. `descr` is its type as NumPy writes it, such as `<u2`. */
export function npyFile(descr: string, shape: readonly number[], values: Uint8Array): Uint8Array<ArrayBuffer> {
  const says = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`;
  const head = `${says}${' '.repeat(63 - ((BEFORE + says.length) % 64))}\n`;
  const file = new Uint8Array(BEFORE + head.length + values.length);
  file.set([0x93, ...new TextEncoder().encode('NUMPY'), 1, 0, head.length & 255, head.length >> 8]);
  file.set(new TextEncoder().encode(head), BEFORE);
  file.set(values, BEFORE + head.length);
  return file;
}

/** The type of these pixels as NumPy writes it: browsers run on little-endian machines alone. */
export function descrOf(pixels: Pixels): string {
  const name = pixels.constructor.name;
  const kind = name.startsWith('Float') ? 'f' : /^(Big)?Uint/.test(name) ? 'u' : 'i';
  return `${pixels.BYTES_PER_ELEMENT === 1 ? '|' : '<'}${kind}${pixels.BYTES_PER_ELEMENT}`;
}
