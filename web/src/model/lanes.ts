/**
 * A graph as rows of a table. Each row is a node; the strokes in front of it show which node feeds it, as in a log of
 * branches. A node stands under the node that feeds its first input; further inputs are named in words. Pure functions.
 */

/** From node number `from` to node number `to`. */
export interface Wire {
  from: number;
  to: number;
}

/** The drawing in one lane of one row. `pass`: a line from top to bottom. */
export type Stroke = 'none' | 'pass' | 'branch' | 'end';

export interface Row {
  node: number;
  depth: number;
  /** One stroke for each lane left of the node; there are `depth` of them. */
  strokes: Stroke[];
  /** Whether rows below hang on this one. */
  hasChildren: boolean;
  /** Nodes beside the first that feed this one. */
  alsoFrom: number[];
}

/** Rows in the order of drawing: sources in the order of declaration, each followed by the nodes that it feeds. Every
 * node comes once. */
export function lanes(nodes: number, wires: readonly Wire[]): Row[] {
  const inputs: number[][] = Array.from({ length: nodes }, () => []);
  for (const { from, to } of wires) {
    const known = inputs[to];
    if (known && from < nodes && from !== to && !known.includes(from)) known.push(from);
  }
  const parents = inputs.map((from) => from[0] ?? -1);
  cutCircles(parents);
  const children: number[][] = Array.from({ length: nodes }, () => []);
  parents.forEach((parent, node) => children[parent]?.push(node));
  const rows: Row[] = [];
  const put = (node: number, strokes: Stroke[]) => {
    const below = children[node] ?? [];
    const alsoFrom = (inputs[node] ?? []).filter((from) => from !== parents[node]);
    rows.push({ node, depth: strokes.length, strokes, hasChildren: below.length > 0, alsoFrom });
    const passed = strokes.map((stroke): Stroke => (stroke === 'branch' || stroke === 'pass' ? 'pass' : 'none'));
    below.forEach((child, i) => put(child, [...passed, i === below.length - 1 ? 'end' : 'branch']));
  };
  parents.forEach((parent, node) => parent === -1 && put(node, []));
  return rows;
}

/** Makes a source of one node of every circle, so that each node is reached. */
function cutCircles(parents: number[]): void {
  const state = new Uint8Array(parents.length);
  parents.forEach((_, start) => {
    const path: number[] = [];
    let node = start;
    while (node >= 0 && state[node] === 0) {
      state[node] = 1;
      path.push(node);
      node = parents[node] ?? -1;
    }
    if (node >= 0 && state[node] === 1) parents[node] = -1;
    for (const visited of path) state[visited] = 2;
  });
}

export interface Place {
  column: number;
  row: number;
}

/** Places for boxes: columns by the longest way from a source, rows so that a node stands beside the node that feeds
 * it. */
export function layers(nodes: number, wires: readonly Wire[]): Place[] {
  const column = new Array<number>(nodes).fill(0);
  for (let round = 0; round < nodes; round++) {
    let moved = false;
    for (const { from, to } of wires) {
      const wanted = (column[from] ?? 0) + 1;
      if (from !== to && wanted < nodes && (column[to] ?? 0) < wanted) [column[to], moved] = [wanted, true];
    }
    if (!moved) break;
  }
  const used: number[] = [];
  const places: Place[] = Array.from({ length: nodes }, () => ({ column: 0, row: 0 }));
  for (const { node } of lanes(nodes, wires)) {
    const at = column[node] ?? 0;
    const parent = wires.find((wire) => wire.to === node)?.from;
    const beside = parent === undefined ? 0 : (places[parent]?.row ?? 0);
    const row = Math.max(used[at] ?? 0, beside);
    used[at] = row + 1;
    places[node] = { column: at, row };
  }
  return places;
}
