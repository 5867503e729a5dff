/** How the picture is shown, kept in the address: zoom, scale, colours, contrast. */

import type { Scale } from '../model/contrast';
import { place } from '../model/place.svelte';
import { MAP_NAMES, type MapName } from './maps';
import type { Contrast } from './messages';
import type { Zoom } from './view';

export const PERCENT_LOW = 0.5;
export const PERCENT_HIGH = 99.8;

export const isAuto = (contrast: Contrast): contrast is { percentLow: number; percentHigh: number } => 'percentLow' in contrast;

export const shown = {
  get scale(): Scale {
    const text = place.get('scale');
    return text === 'log' || text === 'root' ? text : 'linear';
  },
  set scale(scale: Scale) {
    place.set({ scale: scale === 'linear' ? '' : scale });
  },
  get map(): MapName {
    return MAP_NAMES.find((name) => name === place.get('map')) ?? 'ice';
  },
  set map(map: MapName) {
    place.set({ map: map === 'ice' ? '' : map });
  },
  get contrast(): Contrast {
    const [low, high] = place.get('range').split('..').map(Number);
    if (place.get('range') && Number.isFinite(low) && Number.isFinite(high)) return { low: low!, high: high! };
    const [percentLow = PERCENT_LOW, percentHigh = PERCENT_HIGH] = place.get('percent').split('..').filter(Boolean).map(Number);
    return { percentLow, percentHigh };
  },
  set contrast(contrast: Contrast) {
    const number = (n: number) => String(Number(n.toPrecision(6)));
    if (!isAuto(contrast)) {
      place.set({ range: `${number(contrast.low)}..${number(contrast.high)}`, percent: '' });
      return;
    }
    const usual = contrast.percentLow === PERCENT_LOW && contrast.percentHigh === PERCENT_HIGH;
    place.set({ range: '', percent: usual ? '' : `${contrast.percentLow}..${contrast.percentHigh}` });
  },
  get sight(): { zoom: Zoom; x: number; y: number } {
    const [zoom, x = 0, y = 0] = place.get('zoom').split(',').map(Number);
    return zoom && Number.isFinite(zoom) && zoom > 0 ? { zoom, x, y } : { zoom: 'fit', x: 0, y: 0 };
  },
  set sight({ zoom, x, y }: { zoom: Zoom; x: number; y: number }) {
    place.set({ zoom: zoom === 'fit' ? '' : `${Number(zoom.toPrecision(5))},${x.toFixed(1)},${y.toFixed(1)}` });
  },
};
