/** The server's side of a WebSocket, as little as the tests need: text messages of one frame each. */

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export class SocketPeer {
  onmessage: (text: string) => void = () => {};
  onclose: () => void = () => {};
  private rest = Buffer.alloc(0);

  constructor(request: IncomingMessage, private readonly stream: Duplex) {
    const key = request.headers['sec-websocket-key'] ?? '';
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    stream.on('data', (chunk: Buffer) => this.take(chunk));
    stream.on('error', () => stream.destroy());
    stream.on('close', () => this.onclose());
  }

  send(message: unknown): void {
    const payload = Buffer.from(JSON.stringify(message));
    const { length } = payload;
    const head = Buffer.alloc(length < 126 ? 2 : length < 65536 ? 4 : 10);
    head[0] = 0x81;
    head[1] = length < 126 ? length : length < 65536 ? 126 : 127;
    if (head.length === 4) head.writeUInt16BE(length, 2);
    if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
    this.stream.write(Buffer.concat([head, payload]));
  }

  close(): void {
    this.stream.end(Buffer.from([0x88, 2, 0x03, 0xe9]));
  }

  private take(chunk: Buffer): void {
    this.rest = Buffer.concat([this.rest, chunk]);
    for (;;) {
      const [first, second] = [this.rest[0], this.rest[1]];
      if (first === undefined || second === undefined) return;
      let [length, at] = [second & 0x7f, 2];
      if (length === 126) [length, at] = [this.rest.length >= 4 ? this.rest.readUInt16BE(2) : Infinity, 4];
      if (this.rest.length < at + 4 + length) return;
      const mask = this.rest.subarray(at, at + 4);
      const payload = Buffer.from(this.rest.subarray(at + 4, at + 4 + length)).map((byte, i) => byte ^ mask[i % 4]!);
      this.rest = this.rest.subarray(at + 4 + length);
      if ((first & 0x0f) === 1) this.onmessage(Buffer.from(payload).toString());
      if ((first & 0x0f) === 8) this.stream.end();
    }
  }
}
