/** Waiting for what must come, on any machine, however busy. */

import { expect } from 'vitest';
import { HANG_MS } from './hang';

export const until = (what: () => Promise<unknown> | unknown) => expect.poll(what, { timeout: HANG_MS, interval: 100 });
