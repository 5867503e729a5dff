/** How long a test waits for what must come: only a hang takes longer. */
export const HANG_MS = 600_000;
