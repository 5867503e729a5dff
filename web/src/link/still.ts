/** Pictures of recorded events, which do not change. Each wish is asked for once; the newest wish counts. */

import { sentence, type FeedListener } from './feed';
import type { ViewWish } from './protocol';
import type { Header } from './wire';

/** The server is still reading the file. */
const BUSY = 503;
const RETRY_MS = 1_000;

/** Whether a source is the address of a recorded picture, and no output of a node. */
export const isStill = (from: string) => from.startsWith('/api/');

/** The detector's part of an address: two events of one detector have it in common. */
export const detectorOf = (from: string) => (isStill(from) ? from.replace(/&event=\d+$/, '') : from);

export class Still<T extends { header: Header }> {
  private wish: ViewWish | null = null;
  private asked: string | null = null;
  private running = false;
  private stopped = true;

  constructor(
    private readonly base: string,
    private readonly read: (message: ArrayBuffer) => T,
    private readonly listener: FeedListener<T>,
  ) {}

  want(wish: ViewWish | null): void {
    this.wish = wish;
    if (wish === null) this.asked = null;
    void this.run();
  }

  stop(stopped: boolean): void {
    this.stopped = stopped;
    void this.run();
  }

  /** One request at a time: while a slider is dragged through a run, only events that the server can keep up with are
   * asked for. */
  private async run(): Promise<void> {
    // As in `Feed`: one loop.
    if (this.running) return;
    this.running = true;
    for (;;) {
      const url = this.wish && pictureUrl(this.wish);
      // The same address is never asked for twice: a recorded picture does not change.
      if (!url || this.stopped || url === this.asked) break;
      this.asked = url;
      try {
        const answer = await fetch(this.base + url);
        // A file that is being opened takes seconds; the wish stays.
        if (answer.status === BUSY) {
          this.listener.problem(await sentence(answer));
          await new Promise((done) => setTimeout(done, RETRY_MS));
          this.asked = null;
          continue;
        }
        if (!answer.ok) throw new Error(await sentence(answer));
        const frame = this.read(await answer.arrayBuffer());
        // Another event was wanted meanwhile.
        if (this.asked !== url) continue;
        this.listener.problem('');
        await this.listener.frame(frame);
      } catch (problem) {
        this.listener.problem(problem instanceof Error ? problem.message : String(problem));
      }
    }
    this.running = false;
  }

  async valueAt(x: number, y: number): Promise<number | number[] | null> {
    if (!this.wish) return null;
    const answer = await fetch(`${this.base}${this.wish.from.replace('/picture?', '/at?')}&x=${x}&y=${y}`);
    return answer.ok ? ((await answer.json()) as { value: number | number[] | null }).value : null;
  }
}

export function pictureUrl({ from, region, fit, axes, reduce }: ViewWish): string {
  const more = [region && `&region=${region.join(',')}`, fit && `&fit=${fit.join(',')}`, axes && `&axes=${axes}`, `&reduce=${reduce}`];
  return `${from}&as=raw${more.filter(Boolean).join('')}`;
}
