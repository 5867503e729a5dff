/** A record of a measurement, in the form of those of `livetime-bench`. */

import { readFileSync } from 'node:fs';
import { arch, availableParallelism, platform, release, totalmem } from 'node:os';

/** The value of `name : value` in a file of /proc. */
function field(file: string, name: string): string {
  try {
    const line = readFileSync(file, 'utf8').split('\n').find((line) => line.split(':')[0]!.trim() === name);
    return line?.slice(line.indexOf(':') + 1).trim() ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

export const machine = () => ({
  cpu: field('/proc/cpuinfo', 'model name'),
  cpu_family_model: `${field('/proc/cpuinfo', 'cpu family')}/${field('/proc/cpuinfo', 'model')}`,
  cores: availableParallelism(),
  memory_gib: Math.floor(totalmem() / 2 ** 30),
  os: platform(),
  arch: arch() === 'x64' ? 'x86_64' : arch(),
  kernel: release(),
});

/** The commit in the version that a program tells, as `0.1.0 (0123abc)`. */
export const commitOf = (version: string) => /\(([^)]+)\)/.exec(version)?.[1] ?? 'unknown';

/** How busy all programs keep all cores, of which 100 is all; `null` where the system does not say. */
export async function busyPercent(ms: number): Promise<number | null> {
  const [before, after] = [times(), await new Promise<Times | null>((done) => setTimeout(() => done(times()), ms))];
  if (!before || !after) return null;
  return Math.round((1000 * (after.busy - before.busy)) / Math.max(1, after.all - before.all)) / 10;
}

interface Times {
  busy: number;
  all: number;
}

function times(): Times | null {
  try {
    const numbers = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.trim().split(/\s+/).slice(1, 9).map(Number);
    const all = numbers.reduce((sum, n) => sum + n, 0);
    // Idle, and waiting for disks.
    return { busy: all - numbers[3]! - numbers[4]!, all };
  } catch {
    return null;
  }
}

export interface Row {
  name: string;
  unit: string;
  repeats: number;
  median: number;
  min: number;
  max: number;
  values: number[];
}

/** Median and spread of some repeats, which stand in their order. */
export function row(name: string, unit: string, values: number[]): Row {
  const rounded = values.map((value) => Math.round(value * 100) / 100);
  const sorted = [...rounded].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[middle]! : Math.round(50 * (sorted[middle - 1]! + sorted[middle]!)) / 100;
  return { name, unit, repeats: values.length, median, min: sorted[0]!, max: sorted.at(-1)!, values: rounded };
}
