/** CPU time of what this test has started, as Linux counts it. */

import { readdirSync, readFileSync } from 'node:fs';

export interface Used {
  /** The thread of the page itself, in which its scripts, layout and painting are. */
  page: number;
  /** All processes of the browser. */
  browser: number;
  /** The program that is looked at. */
  run: number;
}

/** Linux counts in these, on all machines of today. */
const TICK_MS = 10;

interface Process {
  pid: number;
  parent: number;
  command: string;
  ms: number;
}

/** Milliseconds so far. */
export function processorMs(): Used {
  const all = new Map(readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => read(Number(name))));
  const isOurs = (of: Process | undefined): boolean => of !== undefined && (of.parent === process.pid || isOurs(all.get(of.parent)));
  const ours = [...all.values()].filter(isOurs);
  const isRun = ({ command }: Process) => command.includes('livetime\0run');
  const sum = (list: Process[]) => list.reduce((ms, one) => ms + one.ms, 0);
  const renderers = ours.filter(({ command }) => command.includes('--type=renderer'));
  return {
    page: renderers.reduce((ms, { pid }) => ms + (times(`/proc/${pid}/task/${pid}/stat`)?.ms ?? 0), 0),
    browser: sum(ours.filter((one) => !isRun(one))),
    run: sum(ours.filter(isRun)),
  };
}

function read(pid: number): [number, Process][] {
  const found = times(`/proc/${pid}/stat`);
  return found ? [[pid, { pid, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8'), ...found }]] : [];
}

/** Nothing when it has ended. */
function times(file: string): { parent: number; ms: number } | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    // After the name, which may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number);
    return { parent: fields[1]!, ms: TICK_MS * (fields[11]! + fields[12]!) };
  } catch {
    return undefined;
  }
}
