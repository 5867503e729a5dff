/** A picture as a file: the worker's values, with a name that identifies the frame and the region. Pure functions. */

import type { Header, Picture } from '../link/wire';
import { descrOf, npyFile } from '../model/npy';

/** `camera.out-1234-max-2x2-from-128-0`: the frame, how its bins were made, and where a part of it begins. */
export function nameOf(of: string, header: Header, isStill: boolean): string {
  const binned = header.reduce === 'none' ? '' : `-${header.reduce}-${header.binX}x${header.binY}`;
  const all = header.width * header.binX >= header.fullWidth && header.height * header.binY >= header.fullHeight;
  const frame = isStill ? '' : `-${header.sequence}`;
  return `${of.replace(/[^\w.-]+/g, '-')}${frame}${binned}${all ? '' : `-from-${header.x}-${header.y}`}`;
}

export function npyOf({ header, pixels }: Picture): Uint8Array<ArrayBuffer> {
  const shape = [header.height, header.width, ...(header.colours === 1 ? [] : [header.colours])];
  return npyFile(descrOf(pixels), shape, new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength));
}
