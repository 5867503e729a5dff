/** The worker behind a picture. The first one starts with the page's scripts, before the outputs of the run are known. */

import { base } from '../link/door';
import { place } from '../model/place.svelte';
import { run } from '../model/run.svelte';
import type { ToWorker } from './messages';
import PictureWorker from './worker?worker';

/** A run may have no picture to show. */
const LATEST_MS = 1_500;
let said = () => {};
/** Done when the first picture is on the screen: parts of the page that it does not need wait for this. */
export const pictured = new Promise<void>((done) => {
  said = done;
  setTimeout(done, LATEST_MS);
});
export const isPictured = () => said();

let ready: Worker | null = new PictureWorker();

/** The output that Live shows when the address names none. */
export const firstPicture = () => run.nodes.flatMap((node) => node.outputs).find((output) => output.kinds.includes('array'))?.name ?? '';

/** Lets the worker ask for the first picture before the screen is made. The canvas will be about half as wide as the window. */
export function lookAhead(): void {
  const from = place.get('view') || firstPicture();
  if (place.screen !== 'live' || !from) return;
  const fit: [number, number] = [innerWidth * devicePixelRatio, innerHeight * devicePixelRatio];
  ready?.postMessage({ kind: 'ahead', base: base(), from, fit } satisfies ToWorker);
}

export function pictureWorker(): Worker {
  const made = ready ?? new PictureWorker();
  ready = null;
  return made;
}
