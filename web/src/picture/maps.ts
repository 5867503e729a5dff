/** Colour maps: a few stops each, made into 256 colours. */

export const MAP_NAMES = ['ice', 'grey', 'inverse', 'viridis', 'inferno', 'spectrum'] as const;
export type MapName = (typeof MAP_NAMES)[number];

export const MAP_TITLES: Record<MapName, string> = {
  ice: 'Ice', grey: 'Grey', inverse: 'Grey inverse', viridis: 'Viridis', inferno: 'Inferno', spectrum: 'Spectrum',
};

type Stop = readonly [at: number, red: number, green: number, blue: number];

const even = (...colours: number[]): Stop[] =>
  colours.map((c, i) => [i / (colours.length - 1), c >> 16, (c >> 8) & 255, c & 255]);

const STOPS: Record<MapName, readonly Stop[]> = {
  ice: [
    [0, 6, 9, 18], [0.18, 16, 33, 58], [0.36, 22, 66, 98], [0.54, 41, 112, 138],
    [0.7, 92, 160, 170], [0.84, 170, 208, 200], [0.94, 228, 236, 214], [1, 255, 252, 238],
  ],
  grey: even(0x000000, 0xffffff),
  inverse: even(0xffffff, 0x000000),
  viridis: even(0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725),
  inferno: even(0x000004, 0x210c4a, 0x57106e, 0x8a226a, 0xbc3754, 0xe45a31, 0xf98e09, 0xf9cb35, 0xfcffa4),
  spectrum: even(0x30123b, 0x4662d7, 0x36aaf9, 0x1ae4b6, 0x72fe5e, 0xc8ef34, 0xfaba39, 0xf66b19, 0xcb2a04, 0x7a0403),
};

/** 256 colours as red, green, blue, alpha. */
export function colours(name: MapName): Uint8Array {
  const stops = STOPS[name];
  const table = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; i++) table.set([...colourAt(stops, i / 255), 255], i * 4);
  return table;
}

function colourAt(stops: readonly Stop[], at: number): [number, number, number] {
  const next = Math.max(1, stops.findIndex((stop) => stop[0] >= at));
  const [a, b] = [stops[next - 1] as Stop, stops[next] as Stop];
  const part = Math.min(1, Math.max(0, (at - a[0]) / (b[0] - a[0])));
  const mix = (k: 1 | 2 | 3) => Math.round(a[k] + (b[k] - a[k]) * part);
  return [mix(1), mix(2), mix(3)];
}

/** The map as a CSS gradient, for choices and legends. */
export function gradient(name: MapName, angle = '90deg'): string {
  const stops = STOPS[name].map(([at, r, g, b]) => `rgb(${r} ${g} ${b}) ${(at * 100).toFixed(1)}%`);
  return `linear-gradient(${angle}, ${stops.join(', ')})`;
}
