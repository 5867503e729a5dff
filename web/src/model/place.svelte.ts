/** The address as a value that the screens read and change. */

import { namesScreen, readAddress, writeAddress, type Screen } from './address';

class Address {
  private now = $state.raw(readAddress(location.hash));

  constructor() {
    addEventListener('hashchange', () => (this.now = readAddress(location.hash)));
  }

  get screen(): Screen {
    return this.now.screen;
  }

  get(key: string): string {
    return this.now.query[key] ?? '';
  }

  /** Changes parts of the query; the way back in the browser leads to the last screen, not through every choice. */
  set(change: Record<string, string>): void {
    this.now = { screen: this.now.screen, query: { ...this.now.query, ...change } };
    history.replaceState(null, '', writeAddress(this.now));
  }

  /** Goes to a screen and keeps the other choices. */
  go(screen: Screen, change: Record<string, string> = {}): void {
    this.now = { screen, query: { ...this.now.query, ...change } };
    history.pushState(null, '', writeAddress(this.now));
  }

  /** The screen for an address that names none, set when the nodes of the run are known. */
  begin(screen: Screen): void {
    if (!namesScreen(location.hash)) this.now = { ...this.now, screen };
  }

  /** Another address came in from outside. */
  reload(): void {
    this.now = readAddress(location.hash);
  }
}

export const place = new Address();
