/** The state of the page in its address, so that a link shows what its sender saw. Pure functions. */

export const SCREENS = ['live', 'graph', 'plots', 'settings', 'ledger', 'runs', 'trigger'] as const;
export type Screen = (typeof SCREENS)[number];

export interface Place {
  screen: Screen;
  query: Record<string, string>;
}

/** Reads `#/live?node=ROI1`. Anything else is the live screen. */
export function readAddress(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const screen = SCREENS.find((name) => name === path) ?? 'live';
  return { screen, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** Whether an address says which screen it is of. */
export const namesScreen = (hash: string) => /^#\/\w/.test(hash);

/** Empty values are left out. */
export function writeAddress({ screen, query }: Place): string {
  const kept = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(kept).toString();
  return `#/${screen}${text ? `?${text}` : ''}`;
}

/** The token of a link that `livetime run` printed: `#t=TOKEN`. */
export function tokenOf(hash: string): string | null {
  return /^#t=([\w-]+)/.exec(hash)?.[1] ?? null;
}
