/** The regions that nodes `roi` cut from an output, as they are or will be when the changes are applied. */

import { drafts } from './drafts.svelte';
import { parametersOf, regionOf, sameRegion, type Region, type Size } from './roi';
import { run } from './run.svelte';

export const regionNodes = (source: string): string[] =>
  run.nodes.filter((node) => node.type === 'roi' && run.inputOf(node.name) === source).map((node) => node.name);

export interface Wished {
  name: string;
  region: Region;
  /** Whether it is another one than the one that acts. */
  pending: boolean;
}

export function regionsOf(source: string, full: Size): Wished[] {
  return regionNodes(source).filter((name) => run.value(name, 'min_x') !== undefined).map((name) => {
    const region = regionOf((param) => drafts.value(name, param), full);
    return { name, region, pending: !sameRegion(region, regionOf((param) => run.value(name, param), full)) };
  });
}

export const wishRegion = (name: string, region: Region) =>
  drafts.set(name, parametersOf(region, (param) => run.value(name, param)));
