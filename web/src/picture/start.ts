/** The worker behind a picture. The first one starts with the page's scripts, before it is known what there is to show. */

import PictureWorker from './worker?worker';

let ready: Worker | null = new PictureWorker();

export function pictureWorker(): Worker {
  const made = ready ?? new PictureWorker();
  ready = null;
  return made;
}
