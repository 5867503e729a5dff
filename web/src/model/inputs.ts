/** The inputs of a node with the edges that lead to each. Pure. */

import type { Edge, PortInfo } from '../link/protocol';

export interface InputNow {
  /** As `node.input`. */
  to: string;
  port: string;
  /** The accepted frames, in words. */
  frames: string;
  edges: Edge[];
}

/** In the order of the declaration; an input that only an edge tells of comes behind. */
export function byInput(node: string, ports: readonly PortInfo[], edges: readonly Edge[]): InputNow[] {
  const declared = ports.map(({ name, frames }) => ({ to: `${node}.${name}`, port: name, frames }));
  const known = new Set(declared.map(({ to }) => to));
  const others = [...new Set(edges.map(({ to }) => to))].filter((to) => !known.has(to));
  const all = [...declared, ...others.map((to) => ({ to, port: to.slice(to.lastIndexOf('.') + 1), frames: '' }))];
  return all.map((input) => ({ ...input, edges: edges.filter(({ to }) => to === input.to) }));
}
