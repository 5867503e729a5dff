/** The screens in the order of their keys; Trigger, which not every run has, comes last, so that no key changes its meaning. Each is loaded when it is opened first, but Live, with which the page begins. */

import type { Component } from 'svelte';
import type { NodeInfo } from '../link/protocol';
import type { Screen } from '../model/address';
import Live from './live/Live.svelte';

export interface ScreenInfo {
  name: Screen;
  title: string;
  load: () => Promise<{ default: Component }>;
}

const ALL: ScreenInfo[] = [
  { name: 'live', title: 'Live', load: () => Promise.resolve({ default: Live }) },
  { name: 'graph', title: 'Graph', load: () => import('./graph/Graph.svelte') },
  { name: 'plots', title: 'Plots', load: () => import('./plots/Plots.svelte') },
  { name: 'settings', title: 'Settings', load: () => import('./settings/Settings.svelte') },
  { name: 'ledger', title: 'Ledger', load: () => import('./ledger/Ledger.svelte') },
  { name: 'runs', title: 'Runs', load: () => import('./runs/Runs.svelte') },
  { name: 'trigger', title: 'Trigger', load: () => import('./trigger/Trigger.svelte') },
];

const has = (nodes: readonly NodeInfo[], kind: string) => nodes.some((node) => node.outputs.some((output) => output.kinds.includes(kind)));

/** The screens that this run has data for: hits and triggers come as tables. */
export function offered(nodes: readonly NodeInfo[]): ScreenInfo[] {
  return ALL.filter((screen) => screen.name !== 'trigger' || has(nodes, 'table'));
}

/** Where the page opens: on tables where a run has no pictures. */
export const firstScreen = (nodes: readonly NodeInfo[]): Screen => (!has(nodes, 'array') && has(nodes, 'table') ? 'trigger' : 'live');
