/** Losses in words. Their places, times and reasons come from the server. Pure functions. */

import type { Edge } from '../link/protocol';

/** `rate_limited` as `rate limited`. */
export const inWords = (name: string) => name.replaceAll('_', ' ');

export const receiver = (edge: Edge | undefined) => edge?.to.split('.')[0] ?? '';
