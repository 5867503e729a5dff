/** Dark or light: as the system says, or as chosen on this page. */

export type Theme = 'system' | 'dark' | 'light';
const KEY = 'livetime.theme';
/** Colours of the theme that is shown: to ask for one makes the browser lay out the page at once. */
const known = new Map<string, string>();
const light = matchMedia('(prefers-color-scheme: light)');

export const theme = (): Theme => {
  const kept = localStorage.getItem(KEY);
  return kept === 'dark' || kept === 'light' ? kept : 'system';
};

export const isLight = () => document.documentElement.dataset.theme === 'light';

export function setTheme(next: Theme): void {
  if (next === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  show();
}

/** Canvases do not follow style sheets by themselves: they listen for `themechange`. */
function show(): void {
  const chosen = theme();
  const isLightNow = chosen === 'light' || (chosen === 'system' && light.matches);
  known.clear();
  document.documentElement.dataset.theme = isLightNow ? 'light' : 'dark';
  dispatchEvent(new Event('themechange'));
}

/** The colour of a token, such as `--accent`. */
export function colour(name: string): string {
  const found = known.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  known.set(name, found);
  return found;
}

/** `#rrggbb` as three numbers. */
export function rgb(name: string): [number, number, number] {
  const n = parseInt(colour(name).slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}

light.addEventListener('change', show);
show();
