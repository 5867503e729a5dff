/** Counts changes of the theme, for drawings by script: canvases do not follow style sheets. */

class Themed {
  count = $state(0);

  constructor() {
    addEventListener('themechange', () => this.count++);
  }
}

export const themed = new Themed();
