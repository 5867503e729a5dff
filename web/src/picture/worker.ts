/** The worker behind a picture: asks for frames, draws them, counts them. The page's own thread never sees pixels. */

import { Feed } from '../link/feed';
import { detectorOf, isStill, Still } from '../link/still';
import { readPicture, type Picture } from '../link/wire';
import { Histogram, type Pixels } from '../model/contrast';
import { valuesAlong, type Line } from '../model/line';
import { GlPainter, hasCard } from './gl';
import { nameOf, npyOf } from './keep';
import { colours } from './maps';
import type { Cross, Drawing, FromWorker, Look, Point, Sight, ToWorker } from './messages';
import type { Painter } from './painter';
import { PlainPainter } from './plain';
import { viewOf, usualAxes, type View } from './view';

// Most bars of a histogram.
const BARS = 180;
/** Least time between two reports to the page about live pictures: people cannot read faster changes. */
const TELL_MS = 250;
/** The same after a person has changed a setting, whose effect should show at once. */
const TELL_SOON_MS = 30;
/** Least time between two pictures where the processor draws, because it also has the work of the run. */
const PLAIN_MS = 50;
/** After this long the next picture is asked for although this one is not drawn. */
const DRAWN_MS = 1_000;

const say = (message: FromWorker, transfer: Transferable[] = []) => postMessage(message, { transfer });

class Worker {
  private painter: Painter | null = null;
  private feeds: { live: Feed<Picture>; still: Still<Picture> } | null = null;
  private picture: Picture | null = null;
  private waiting: Picture | null = null;
  private source: string | null = null;
  private look: Look | null = null;
  private sight: Sight | null = null;
  private hold = false;
  private cross: Point | null = null;
  private line: Line | null = null;
  private readonly histogram = new Histogram();
  private limits = { low: 0, high: 1 };
  private toldAt = -Infinity;
  private tellAt = 0;
  private telling: ReturnType<typeof setTimeout> | undefined;
  private arrivals: number[] = [];
  private drawn = false;
  /** The picture has not been on the screen. */
  private isNew = false;
  private whenDrawn: () => void = () => {};
  private asking = false;

  take(message: ToWorker): void {
    switch (message.kind) {
      case 'ahead':
        return void this.ahead(message);
      case 'start':
        return this.start(message);
      case 'source':
        // The new source first, so that the wish is for it.
        this.turnTo(message.from);
        this.wish();
        return this.redraw();
      case 'look':
        if (message.look.map !== this.look?.map) this.painter?.setColours(colours(message.look.map));
        this.look = message.look;
        this.choose();
        this.tell(TELL_SOON_MS);
        return this.redraw();
      case 'sight':
        this.sight = message.sight;
        this.wish();
        return this.redraw();
      case 'hold':
        this.hold = message.hold;
        // The newest picture that came while the view was held.
        if (!this.hold && this.waiting) this.show(this.waiting);
        return this.stop(this.hold);
      case 'seen':
        return this.stop(!message.seen || this.hold);
      case 'cross':
        this.cross = message.at;
        return this.tellCross();
      case 'line':
        this.line = message.line;
        return this.tellLine();
      case 'save':
        return void this.save(message.as, message.name);
    }
  }

  private start({ canvas, base, drawing }: { canvas: OffscreenCanvas; base: string; drawing: Drawing }): void {
    try {
      this.painter = painterOn(canvas, drawing);
    } catch (problem) {
      // Without a painter the page still has its tools and values.
      return say({ kind: 'problem', text: (problem as Error).message });
    }
    if (this.look) this.painter.setColours(colours(this.look.map));
    this.open(base);
    if (this.picture) this.show(this.picture);
    this.wish();
  }

  /** The first picture is on its way while the page still makes the place for it, and this worker finds out how to draw. */
  private async ahead({ base, from, fit }: { base: string; from: string; fit: [number, number] }): Promise<void> {
    this.source = from;
    try {
      const answer = await fetch(`${base}/api/v1/picture?${new URLSearchParams({ from, as: 'raw', fit: fit.map(even).join(',') })}`);
      if (answer.status !== 200) return;
      const picture = readPicture(await answer.arrayBuffer(), answer.headers.get('livetime-place'));
      // Another picture may have come, or another source been chosen, while this one was under way.
      if (this.picture === null && this.source === from) this.show(picture);
    } catch {
      // The regular request for this picture reports the same error.
    }
  }

  private open(base: string): void {
    // A held view keeps its picture, but the feed goes on.
    const frame = (next: Picture) => (this.hold ? void (this.waiting = next) : this.shown(next));
    const listener = { frame, problem: (text: string) => say({ kind: 'unanswered', text }) };
    this.feeds = { live: new Feed(base, readPicture, listener), still: new Still(base, readPicture, listener) };
    this.stop(false);
  }

  // ---- Requests of the page ----

  private get feed(): Feed<Picture> | Still<Picture> | undefined {
    return this.source !== null && isStill(this.source) ? this.feeds?.still : this.feeds?.live;
  }

  private stop(stopped: boolean): void {
    this.feeds?.live.stop(stopped);
    this.feeds?.still.stop(stopped);
  }

  /** From one event of a detector to the next the picture stays until the next one is there. */
  private turnTo(from: string | null): void {
    const same = from !== null && this.source !== null && detectorOf(from) === detectorOf(this.source);
    // Another detector: the old picture must not stand under the new name.
    if (!same) {
      this.feed?.want(null);
      this.picture = null;
    }
    this.source = from;
    this.hold = false;
  }

  /** Fitted: at least one value for each device pixel, at most two. Zoomed: the part that is seen, and a margin. */
  private wish(): void {
    if (!this.feed || !this.sight) return;
    if (this.source === null) return this.feed.want(null);
    const { canvas, density } = this.sight;
    // Steps of 128 and twice the canvas: see `even`.
    const most: [number, number] = [even(canvas.width * density * 2), even(canvas.height * density * 2)];
    const region = this.seenRegion();
    const axes = this.isOwn() ? { axes: 'own' as const } : {};
    this.feed.want({ from: this.source, region, fit: most, reduce: 'max', as: 'native', ...axes });
  }

  private seenRegion(): [number, number, number, number] | null {
    const view = this.view();
    // A fitted view shows everything.
    if (!view || !this.sight || !this.picture || this.sight.zoom === 'fit') return null;
    const { fullWidth, fullHeight } = this.picture.header;
    const part = (at: number, seen: number, whole: number): [number, number] => {
      // A quarter on each side, so that a small move needs no new picture.
      const margin = seen / 4;
      // A grid, so that moving the view does not change the wish with each pixel.
      const grid = 64;
      const low = Math.max(0, Math.floor((at - seen / 2 - margin) / grid) * grid);
      const high = Math.min(whole, Math.ceil((at + seen / 2 + margin) / grid) * grid);
      return [low, Math.max(1, high - low)];
    };
    const [x, width] = part(view.x, this.sight.canvas.width / view.zoomX, fullWidth);
    const [y, height] = part(view.y, this.sight.canvas.height / view.zoomY, fullHeight);
    return width >= fullWidth && height >= fullHeight ? null : [x, y, width, height];
  }

  // ---- Drawing ----

  /** Done when the picture is drawn: a slow browser then does not receive pictures that it would never show. */
  private shown(picture: Picture): Promise<void> {
    this.show(picture);
    // The time to the next picture includes the drawing.
    const next = performance.now() + (this.painter?.kind === 'plain' ? PLAIN_MS : 0);
    return new Promise((done) => {
      this.whenDrawn = () => setTimeout(done, next - performance.now());
      // A hidden page draws nothing; without this limit the feed would stop for ever.
      setTimeout(done, DRAWN_MS);
    });
  }

  private show(picture: Picture): void {
    const first = this.picture === null;
    // Lines and masks drawn on the picture must lie on the right pixels at once.
    const moved = this.picture?.place !== picture.place;
    this.picture = picture;
    this.isNew = true;
    this.waiting = null;
    const now = performance.now();
    // The rate is measured over two seconds.
    this.arrivals = [...this.arrivals.filter((at) => now - at < 2000), now];
    const { header } = picture;
    try {
      this.painter?.setPixels(drawable(picture.pixels), header.width * header.colours, header.height);
    } catch (problem) {
      say({ kind: 'problem', text: (problem as Error).message });
    }
    // The size of the whole picture, which the zoom needs, is known only now.
    if (first) this.wish();
    this.tell(moved ? 0 : TELL_MS);
    this.redraw();
  }

  private view(): View | null {
    if (!this.sight || !this.picture) return null;
    const { fullWidth: width, fullHeight: height } = this.picture.header;
    return viewOf(this.sight, { width, height }, this.sight.canvas);
  }

  /** Whether each axis has a scale of its own, and with it bins of its own. */
  private isOwn(): boolean {
    if (!this.sight || !this.picture) return this.sight?.axes === 'own';
    const { fullWidth: width, fullHeight: height } = this.picture.header;
    return (this.sight.axes || usualAxes({ width, height })) === 'own';
  }

  /** At most once for each picture of the screen. */
  private redraw(): void {
    // All changes until the next frame of the screen are drawn together.
    if (this.drawn) return;
    this.drawn = true;
    requestAnimationFrame(() => {
      this.drawn = false;
      if (!this.draw()) return;
      this.whenDrawn();
      if (this.isNew && this.picture) say({ kind: 'shown', sequence: this.picture.header.sequence.toString() });
      this.isNew = false;
    });
  }

  /** False while it is not known where and how. */
  private draw(): boolean {
    const { painter, sight, look } = this;
    if (!painter || !sight || !look) return false;
    const width = Math.max(1, Math.round(sight.canvas.width * sight.density));
    const height = Math.max(1, Math.round(sight.canvas.height * sight.density));
    if (painter.canvas.width !== width || painter.canvas.height !== height) {
      [painter.canvas.width, painter.canvas.height] = [width, height];
    }
    const view = this.view();
    if (!view || !this.picture) {
      painter.draw({ ...this.limits, scale: look.scale }, null, look.outside, look.invalid);
      return true;
    }
    const { header } = this.picture;
    const left = view.x - sight.canvas.width / 2 / view.zoomX;
    const top = view.y - sight.canvas.height / 2 / view.zoomY;
    const part = {
      x: (left - header.x) / header.binX, stepX: 1 / view.zoomX / sight.density / header.binX,
      y: (top - header.y) / header.binY, stepY: 1 / view.zoomY / sight.density / header.binY,
    };
    painter.draw({ ...this.limits, scale: look.scale }, part, look.outside, look.invalid, header.colours);
    return true;
  }

  // ---- Counts ----

  /** Reports to the page, at most every `every` milliseconds. */
  private tell(every = TELL_MS): void {
    const at = this.toldAt + every;
    // An earlier report is set; it will include this change.
    if (this.telling !== undefined && at >= this.tellAt) return;
    clearTimeout(this.telling);
    this.tellAt = at;
    this.telling = setTimeout(() => {
      this.telling = undefined;
      if (!this.painter || !this.look) return;
      this.toldAt = performance.now();
      this.count();
    }, Math.max(0, at - performance.now()));
    // The first picture needs limits before it is drawn, not with the first report.
    if (this.toldAt < 0 && this.picture) this.choose(this.histogram.fill(this.picture.pixels));
  }

  private count(): void {
    const { picture, look, histogram, painter } = this;
    if (!picture || !look || !painter) return;
    const { low, high } = this.limits;
    this.choose(histogram.fill(picture.pixels));
    // Automatic limits may have changed with the new counts.
    if (this.limits.low !== low || this.limits.high !== high) this.redraw();
    const { header } = picture;
    const bars = histogram.bars(BARS, look.scale);
    const [first = 0, last = 0] = [this.arrivals[0], this.arrivals.at(-1)];
    const info = {
      sequence: header.sequence.toString(), dtype: header.dtype, colours: header.colours,
      full: { width: header.fullWidth, height: header.fullHeight }, size: { width: header.width, height: header.height },
      place: picture.place, binX: header.binX, binY: header.binY, reduce: header.reduce, held: header.held, damaged: header.damaged, leftOut: header.leftOut,
      ageMs: header.ageUs / 1000, shownHz: last > first ? ((this.arrivals.length - 1) * 1000) / (last - first) : 0,
      drawing: painter.kind,
      min: histogram.min, max: histogram.max, mean: histogram.mean, atLimit: histogram.atLimit, invalid: histogram.invalid,
      ...this.limits, bars,
    };
    // Transferred, not copied.
    say({ kind: 'picture', info }, [bars.buffer]);
    this.tellCross();
    this.tellLine();
  }

  private tellLine(): void {
    if (!this.picture || !this.line) return;
    const values = valuesAlong(this.line, this.picture.header, this.picture.pixels);
    say({ kind: 'line', values }, [values.buffer]);
  }

  private choose(histogram = this.histogram): void {
    if (!this.look || histogram.count === 0) return;
    const { contrast } = this.look;
    this.limits = 'low' in contrast ? { low: contrast.low, high: contrast.high } : {
      low: histogram.percentile(contrast.percentLow), high: histogram.percentile(contrast.percentHigh),
    };
    // A picture of one value would divide by zero.
    if (!('low' in contrast) && this.limits.low >= this.limits.high) {
      this.limits = { low: histogram.min, high: Math.max(histogram.max, histogram.min + 1) };
    }
  }

  private tellCross(): void {
    const { picture, cross } = this;
    if (!picture || !cross) return;
    const { header, pixels } = picture;
    const column = Math.floor((cross.x - header.x) / header.binX);
    const row = Math.floor((cross.y - header.y) / header.binY);
    const inside = column >= 0 && row >= 0 && column < header.width && row < header.height;
    const at = (x: number, y: number) => Number(pixels[(y * header.width + x) * header.colours]);
    const along = inside ? Float32Array.from({ length: header.width }, (_, x) => at(x, row)) : new Float32Array();
    const down = inside ? Float32Array.from({ length: header.height }, (_, y) => at(column, y)) : new Float32Array();
    // A binned value is the largest of its pixels, and no value of the one under the pointer.
    const exact = header.reduce === 'none';
    const found: Cross = {
      ...cross, value: inside && exact ? this.text(column, row) : null, exact, row: along, column: down,
      x0: header.x, y0: header.y, stepX: header.binX, stepY: header.binY,
    };
    say({ kind: 'cross', cross: found }, [along.buffer, down.buffer]);
    if (inside && !exact) void this.askCross(found);
  }

  private text(column: number, row: number): string {
    const { header, pixels } = this.picture as Picture;
    const first = (row * header.width + column) * header.colours;
    return Array.from({ length: header.colours }, (_, i) => String(pixels[first + i])).join(', ');
  }

  // ---- Saving ----

  /** Saves the picture on the screen: as drawn, or with its original values. */
  private async save(as: 'png' | 'npy', of: string): Promise<void> {
    const { picture, painter } = this;
    if (!picture || !painter) return;
    const name = `${nameOf(of, picture.header, isStill(this.source ?? ''))}.${as}`;
    const file = as === 'npy' ? new Blob([npyOf(picture)]) : await painter.canvas.convertToBlob({ type: 'image/png' });
    say({ kind: 'saved', file, name });
  }

  /** A binned value is no count: the server knows the exact one, of its newest frame. */
  private async askCross(cross: Cross): Promise<void> {
    // One question at a time; the pointer moves faster than the answers.
    if (this.asking) return;
    this.asking = true;
    const value = await this.feed?.valueAt(cross.x, cross.y).catch(() => null);
    this.asking = false;
    // The pointer has moved on.
    if (value === null || value === undefined || this.cross?.x !== cross.x || this.cross.y !== cross.y) return;
    say({ kind: 'cross', cross: { ...cross, value: String(value), row: new Float32Array(), column: new Float32Array() } });
  }
}

/** To steps of 128, so that a window that is being dragged does not ask for a new view with each pixel. */
const even = (n: number) => Math.max(128, Math.ceil(n / 128) * 128);

/** Values that no texture holds are drawn as 32-bit floats; they are read from the original. */
function drawable(pixels: Pixels): Pixels {
  const wide = pixels instanceof BigInt64Array || pixels instanceof BigUint64Array || pixels instanceof Float64Array;
  return wide ? Float32Array.from(pixels as Float64Array, Number) : pixels;
}

function painterOn(canvas: OffscreenCanvas, drawing: Drawing): Painter {
  const byCard = drawing === '' ? isByCard() : drawing === 'webgl';
  return (byCard ? GlPainter.on(canvas) : null) ?? new PlainPainter(canvas);
}

/** Creating the context takes a tenth of a second, in which this worker does nothing else. */
let isDrawnByCard: boolean | undefined;
const isByCard = () => (isDrawnByCard ??= hasCard());
// The context is created while the first picture, which was requested before, is still under way.
setTimeout(isByCard, 20);

const worker = new Worker();
onmessage = (event: MessageEvent<ToWorker>) => worker.take(event.data);
