/** The changes since the start of a run, as text for the pipeline file of a next run. Pure functions. */

import type { Value } from '../../link/protocol';

export interface Changed {
  node: string;
  params: { param: string; before: Value; now: Value }[];
}

/** `--set ROI1.min_x=128 …`, quoted for a shell. */
export function asArguments(changed: readonly Changed[]): string {
  return changed.flatMap(({ node, params }) => params.map(({ param, now }) => `--set ${quoted(`${node}.${param}=${plain(now)}`)}`)).join(' ');
}

const plain = (value: Value) => (Array.isArray(value) ? `[${value.join(', ')}]` : String(value));
const quoted = (text: string) => (/^[\w.=+:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
