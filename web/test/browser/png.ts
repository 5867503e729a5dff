/** Decodes the PNG files that the browser makes: 8 bits, RGB or RGBA, not interlaced. */

import { inflateSync } from 'node:zlib';

export function decodePng(file: Buffer): { width: number; height: number; pixels: Uint8Array } {
  const [width, height, colour] = [file.readUInt32BE(16), file.readUInt32BE(20), file[25]];
  const channels = colour === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const lines = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)]!;
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? lines[y * stride + x - channels]! : 0;
      const up = y > 0 ? lines[(y - 1) * stride + x]! : 0;
      const corner = y > 0 && x >= channels ? lines[(y - 1) * stride + x - channels]! : 0;
      lines[y * stride + x] = raw[y * (stride + 1) + 1 + x]! + predicted(filter, left, up, corner);
    }
  }
  const pixels = new Uint8Array(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i++) pixels.set(lines.subarray(i * channels, i * channels + 3), i * 4);
  return { width, height, pixels };
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
