/** How a picture is shown, kept in the address: zoom, scale, colours, contrast, line. */

import { getContext, setContext } from 'svelte';
import type { Scale } from '../model/contrast';
import { readLine, writeLine, type Line } from '../model/line';
import { place } from '../model/place.svelte';
import { MAP_NAMES, type MapName } from './maps';
import type { Contrast } from './messages';
import type { Axes, Wanted } from './view';

export const PERCENT_LOW = 0.5;
export const PERCENT_HIGH = 99.8;
const KEYS = ['view', 'scale', 'map', 'range', 'percent', 'zoom', 'axes', 'line'] as const;
type Key = (typeof KEYS)[number];

export const isAuto = (contrast: Contrast): contrast is { percentLow: number; percentHigh: number } => 'percentLow' in contrast;

/** Of one picture: `slot` stands behind its keys in the address, empty for the first one and `2` for the one beside it. */
export class Shown {
  constructor(readonly slot: '' | '2' = '') {}

  private get(key: Key): string {
    return place.get(key + this.slot);
  }

  private set(change: Partial<Record<Key, string>>): void {
    place.set(Object.fromEntries(Object.entries(change).map(([key, value]) => [key + this.slot, value])));
  }

  /** Chooses another output; zoom and contrast begin anew. */
  choose(view: string): void {
    this.set({ view, zoom: '', range: '', axes: '' });
  }

  /** Nothing of this picture stays in the address. */
  clear(): void {
    this.set(Object.fromEntries(KEYS.map((key) => [key, ''])));
  }

  get scale(): Scale {
    const text = this.get('scale');
    return text === 'log' || text === 'root' ? text : 'linear';
  }
  set scale(scale: Scale) {
    this.set({ scale: scale === 'linear' ? '' : scale });
  }
  get map(): MapName {
    return MAP_NAMES.find((name) => name === this.get('map')) ?? 'ice';
  }
  set map(map: MapName) {
    this.set({ map: map === 'ice' ? '' : map });
  }
  get contrast(): Contrast {
    const [low, high] = this.get('range').split('..').map(Number);
    if (this.get('range') && Number.isFinite(low) && Number.isFinite(high)) return { low: low!, high: high! };
    const [percentLow = PERCENT_LOW, percentHigh = PERCENT_HIGH] = this.get('percent').split('..').filter(Boolean).map(Number);
    return { percentLow, percentHigh };
  }
  set contrast(contrast: Contrast) {
    const number = (n: number) => String(Number(n.toPrecision(6)));
    if (!isAuto(contrast)) {
      this.set({ range: `${number(contrast.low)}..${number(contrast.high)}`, percent: '' });
      return;
    }
    const usual = contrast.percentLow === PERCENT_LOW && contrast.percentHigh === PERCENT_HIGH;
    this.set({ range: '', percent: usual ? '' : `${contrast.percentLow}..${contrast.percentHigh}` });
  }
  get axes(): Axes | '' {
    const text = this.get('axes');
    return text === 'own' || text === 'equal' ? text : '';
  }
  set axes(axes: Axes | '') {
    this.set({ axes, zoom: '' });
  }
  get sight(): Wanted {
    const { axes } = this;
    const [zoom, x = 0, y = 0, down = zoom] = this.get('zoom').split(',').map(Number);
    const isZoom = (n: number | undefined): n is number => n !== undefined && Number.isFinite(n) && n > 0;
    return isZoom(zoom) && isZoom(down) ? { zoom: { x: zoom, y: down }, x, y, axes } : { zoom: 'fit', x: 0, y: 0, axes };
  }
  set sight({ zoom, x, y }: Omit<Wanted, 'axes'>) {
    const number = (n: number) => String(Number(n.toPrecision(5)));
    const text = ({ x: across, y: down }: { x: number; y: number }) =>
      `${number(across)},${x.toFixed(1)},${y.toFixed(1)}${down === across ? '' : `,${number(down)}`}`;
    this.set({ zoom: zoom === 'fit' ? '' : text(zoom) });
  }
  get line(): Line | null {
    return readLine(this.get('line'));
  }
  set line(line: Line | null) {
    this.set({ line: line ? writeLine(line) : '' });
  }
}

const KEY = Symbol('shown');
export const provideShown = (slot: '' | '2') => setContext(KEY, new Shown(slot));
/** Of the picture that this component is a part of. */
export const shownHere = () => getContext<Shown>(KEY);
