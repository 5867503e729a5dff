/** Draws columns of a table against each other. */

import { placer } from '../model/contrast';
import { short } from '../model/units';
import { colours } from '../picture/maps';
import { ticks } from '../picture/view';
import { colour } from '../style/theme';
import { extent, numbers, type Columns } from '../model/columns';

export interface Axes {
  x: string;
  y: string;
  /** Empty: all points have the same. */
  colour: string;
}

export interface Marks {
  /** The shown range of `x`; by default the whole range. */
  range?: [number, number];
  /** A place along `x` that is marked. */
  at?: number;
}

const [LEFT, BOTTOM] = [72, 26];

export function drawPoints(canvas: HTMLCanvasElement, now: Columns, axes: Axes, size: { width: number; height: number }, marks: Marks = {}): void {
  const density = devicePixelRatio || 1;
  [canvas.width, canvas.height] = [Math.max(1, size.width * density), Math.max(1, size.height * density)];
  const pen = canvas.getContext('2d')!;
  pen.scale(density, density);
  const [xs, ys] = [now.get(axes.x), now.get(axes.y)];
  if (!xs || !ys) return;
  const [x, y] = [numbers(xs), numbers(ys)];
  const [width, height] = [size.width - LEFT - 12, size.height - BOTTOM - 8];
  const [[x0, x1], [y0, y1]] = [marks.range ?? extent(x.values), extent(y.values)];
  const across = (v: number) => LEFT + ((v - x0) / (x1 - x0)) * width;
  const up = (v: number) => 8 + height - ((v - y0) / (y1 - y0)) * height;
  pen.font = '11px Inter, system-ui, sans-serif';
  pen.fillStyle = colour('--faint');
  pen.strokeStyle = colour('--line');
  pen.textAlign = 'center';
  for (const tick of ticks(x0, x1, width / 110)) pen.fillText(short(tick, 7), across(tick), size.height - 8);
  pen.textAlign = 'right';
  for (const tick of ticks(y0, y1, Math.max(1, height / 60))) {
    pen.fillText(short(tick, 7), LEFT - 8, up(tick) + 4);
    line(pen, LEFT, up(tick), size.width - 12, up(tick));
  }
  if (marks.at !== undefined) {
    pen.strokeStyle = colour('--accent');
    pen.setLineDash([4, 3]);
    line(pen, across(marks.at), 8, across(marks.at), 8 + height);
    pen.setLineDash([]);
  }
  const third = now.get(axes.colour);
  const tones = third ? numbers(third).values : null;
  const map = colours('viridis');
  const tone = tones ? placer(...extent(tones), 'root') : null;
  const dot = x.values.length > 5000 ? 1.5 : 3;
  pen.fillStyle = colour('--s1');
  for (let i = 0; i < x.values.length; i++) {
    if (tones && tone) {
      const at = Math.round(40 + tone(tones[i]!) * 215) * 4;
      pen.fillStyle = `rgb(${map[at]} ${map[at + 1]} ${map[at + 2]})`;
    }
    pen.fillRect(across(x.values[i]!) - dot / 2, up(y.values[i]!) - dot / 2, dot, dot);
  }
}

function line(pen: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}
