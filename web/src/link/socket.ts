/** The state socket: connects, acknowledges each moment, notices silence, and connects again by itself. */

import type { Message, ToServer } from './protocol';

/** `ended`: the run is over, and nothing more comes. */
export type LinkState = 'connecting' | 'open' | 'gone' | 'ended';

export interface Listener {
  message(message: Message): void;
  state(state: LinkState, reason: string): void;
}

/** Moments come at least once a second; after this long without a message the connection counts as gone. */
const SILENCE_MS = 6_000;
/** Moments a second of a page that is seen, and of one that is not: numbers that change faster cannot be read. */
export const SEEN_HZ = 4;
export const HIDDEN_HZ = 1;
// The wait doubles from try to try, so that many pages do not rush a server that starts again.
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 3_000;

export class StateSocket {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT_MS;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watched: string[] = [];
  private pace = SEEN_HZ;
  private ended = false;

  constructor(private readonly url: string, private readonly listener: Listener) {}

  open(): void {
    if (this.ended) return;
    this.listener.state('connecting', '');
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.expect(socket);
    // Wishes are sent again, because the server knows nothing of an earlier connection.
    socket.onopen = () => {
      this.wait = FIRST_WAIT_MS;
      this.send({ kind: 'pace', hz: this.pace });
      this.send({ kind: 'watch', nodes: this.watched });
    };
    socket.onmessage = (event) => this.take(socket, event);
    socket.onclose = (event) => this.lost(socket, event.reason);
  }

  /** Says which nodes' values are wanted. */
  watch(nodes: string[]): void {
    this.watched = nodes;
    this.send({ kind: 'watch', nodes });
  }

  /** Says how many moments a second are wanted at most. */
  setPace(hz: number): void {
    this.pace = hz;
    this.send({ kind: 'pace', hz });
  }

  /** Tries at once if the socket is gone: the page is seen again, or the network is back. */
  hurry(): void {
    if (this.socket || this.ended) return;
    clearTimeout(this.timer);
    this.open();
  }

  close(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private take(socket: WebSocket, event: MessageEvent): void {
    // A late message of a socket that was given up.
    if (socket !== this.socket) return;
    this.expect(socket);
    const message = JSON.parse(event.data as string) as Message;
    if (message.kind === 'hello') this.listener.state('open', '');
    this.listener.message(message);
    // Each moment is acknowledged: a page that is behind gets fewer of them, and not a queue.
    if (message.kind === 'moment') this.send({ kind: 'seen', version: message.version });
  }

  private expect(socket: WebSocket): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lost(socket, 'the server is silent'), SILENCE_MS);
  }

  private lost(socket: WebSocket, reason: string): void {
    if (socket !== this.socket) return;
    this.socket = null;
    clearTimeout(this.timer);
    // The close below must not report the loss a second time.
    socket.onclose = null;
    socket.close();
    if (this.ended) return;
    this.listener.state('gone', reason);
    this.timer = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
  }

  private send(message: ToServer): void {
    // Unsent wishes are sent when the socket opens.
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
