/** How long a test waits for what must come: only a hang takes longer. Short enough that a file full of hangs ends before the check is stopped. */
export const HANG_MS = 120_000;
