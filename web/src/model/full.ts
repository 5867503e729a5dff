/** A picture that fills the window. The bar stays above it, because losses are never hidden. */

import { place } from './place.svelte';

export const isFull = () => place.get('full') !== '';

export function turnFull(): void {
  const full = !isFull();
  place.set({ full: full ? '1' : '' });
  // Without the bars of the browser, where it can do without.
  if (full) void document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) void document.exitFullscreen();
}

document.addEventListener('fullscreenchange', () => {
  if (!document.fullscreenElement) place.set({ full: '' });
});
