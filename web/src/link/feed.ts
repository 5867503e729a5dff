/** Frames of one view: one request under way at a time, which is also the credit. Pictures come in their worker, tables in the page. */

import type { ViewWish } from './protocol';
import type { Header } from './wire';

export interface FeedListener<T> {
  /** The next frame is asked for when this is done. */
  frame(frame: T): void | Promise<void>;
  /** Empty when all is well again. */
  problem(text: string): void;
}

// Long enough to spare a server that is down, short enough to come back by itself.
const RETRY_MS = 1_000;

/** A stopped feed asks for nothing, because nothing of it is visible. */
export class Feed<T extends { header: Header }> {
  private wish: ViewWish | null = null;
  private url: string | null = null;
  private changed = false;
  private running = false;
  private stopped = true;
  private abort: AbortController | null = null;
  private after: bigint | null = null;

  /** `read` makes a frame of a message, and throws when it is none. */
  constructor(
    private readonly base: string,
    private readonly read: (message: ArrayBuffer, place: string | null) => T,
    private readonly listener: FeedListener<T>,
  ) {}

  /** Sets another source, region or size. The same wish again changes nothing. */
  want(wish: ViewWish | null): void {
    if (JSON.stringify(wish) === JSON.stringify(this.wish)) return;
    // A request for another output would hold the new one up; a change of region lets the old picture come.
    if (wish?.from !== this.wish?.from) this.abort?.abort();
    this.wish = wish;
    this.changed = true;
    // The number of the last frame belongs to the old output.
    this.after = null;
    void this.run();
  }

  stop(stopped: boolean): void {
    this.stopped = stopped;
    if (!stopped) void this.run();
  }

  private async run(): Promise<void> {
    // One loop for the life of the feed: a second one would ask twice.
    if (this.running) return;
    this.running = true;
    while (this.wish && !this.stopped) {
      try {
        await this.step(this.wish);
      } catch (problem) {
        // Aborted by `want`: the loop goes on with the new wish.
        if (problem instanceof DOMException && problem.name === 'AbortError') continue;
        // The view may be gone with the server; it is made again.
        this.url = null;
        if (this.stopped) break;
        this.listener.problem(problem instanceof Error ? problem.message : String(problem));
        await new Promise((done) => setTimeout(done, RETRY_MS));
      }
    }
    this.running = false;
  }

  /** Makes or changes the view if that is needed, and asks for one picture. */
  private async step(wish: ViewWish): Promise<void> {
    this.abort = new AbortController();
    const { signal } = this.abort;
    if (this.url === null || this.changed) {
      this.changed = false;
      await this.place(wish, signal);
    }
    if (this.url === null) return;
    const query = this.after === null ? '' : `?after=${this.after}`;
    const answer = await fetch(this.base + this.url + query, { signal });
    // 404: the view has expired, and is made again. 204: no new frame within the server's wait.
    if (answer.status === 404) this.url = null;
    if (answer.status === 204 || answer.status === 404) return;
    if (!answer.ok) throw new Error(await sentence(answer));
    const frame = this.read(await answer.arrayBuffer(), answer.headers.get('livetime-place'));
    // The picture is of the old wish.
    if (this.changed) return;
    this.after = frame.header.sequence;
    this.listener.problem('');
    await this.listener.frame(frame);
  }

  private async place(wish: ViewWish, signal: AbortSignal): Promise<void> {
    const [method, path] = this.url === null ? ['POST', '/api/v1/views'] : ['PUT', this.url];
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(this.base + path, { method, headers, body: JSON.stringify(wish), signal });
    // An expired view cannot be changed; a new one is made.
    if (answer.status === 404 && this.url !== null) {
      this.url = null;
      return this.place(wish, signal);
    }
    if (!answer.ok) throw new Error(await sentence(answer));
    this.url = ((await answer.json()) as { url: string }).url;
  }

  /** The exact value of one pixel of the newest frame. */
  async valueAt(x: number, y: number): Promise<number | number[] | null> {
    if (this.url === null) return null;
    const answer = await fetch(`${this.base}${this.url}/at?x=${x}&y=${y}`);
    return answer.ok ? ((await answer.json()) as { value: number | number[] | null }).value : null;
  }
}

/** The sentence in an answer that is an error. */
export async function sentence(answer: Response): Promise<string> {
  try {
    return ((await answer.json()) as { error: { message: string } }).error.message;
  } catch {
    return `the server answered ${answer.status}`;
  }
}
