/** The worker behind a picture. The first one starts with the page's scripts, before it is known what there is to show. */

import PictureWorker from './worker?worker';

/** A run may have no picture to show. */
const LATEST_MS = 1_500;
let said = () => {};
/** Done when the first picture is on the screen: what is not needed for it waits that long. */
export const pictured = new Promise<void>((done) => {
  said = done;
  setTimeout(done, LATEST_MS);
});
export const isPictured = () => said();

let ready: Worker | null = new PictureWorker();

export function pictureWorker(): Worker {
  const made = ready ?? new PictureWorker();
  ready = null;
  return made;
}
