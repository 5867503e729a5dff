import { expect, test } from 'vitest';
import { lanes, layers, type Stroke } from '../../src/model/lanes';

const SIGNS: Record<Stroke, string> = { none: ' ', pass: '│', branch: '├', end: '└' };
const drawn = (n: number, wires: [number, number][]) =>
  lanes(n, wires.map(([from, to]) => ({ from, to }))).map((row) => row.strokes.map((s) => SIGNS[s]).join('') + row.node);

test('a source with branches, as in a log of branches', () => {
  expect(drawn(6, [[0, 1], [0, 2], [2, 3], [0, 4], [4, 5]])).toEqual(['0', '├1', '├2', '│└3', '└4', ' └5']);
});

test('two sources, and a node with nothing before it', () => {
  expect(drawn(4, [[0, 2], [1, 3]])).toEqual(['0', '└2', '1', '└3']);
});

test('a node with two inputs hangs on the first and names the other', () => {
  const rows = lanes(4, [{ from: 0, to: 1 }, { from: 0, to: 2 }, { from: 1, to: 3 }, { from: 2, to: 3 }]);
  expect(rows.map((row) => row.node)).toEqual([0, 1, 3, 2]);
  expect(rows[2]?.alsoFrom).toEqual([2]);
});

test('every node comes once, whatever the wires', () => {
  let seed = 7;
  const random = (n: number) => (seed = (seed * 1664525 + 1013904223) >>> 0) % n;
  for (let round = 0; round < 300; round++) {
    const n = 1 + random(12);
    const wires = Array.from({ length: random(20) }, () => ({ from: random(n + 1), to: random(n + 1) }));
    const rows = lanes(n, wires);
    expect(rows.map((row) => row.node).sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
    expect(rows.every((row) => row.strokes.length === row.depth)).toBe(true);
    expect(layers(n, wires)).toHaveLength(n);
  }
});

test('boxes never lie on each other, and edges lead to the right', () => {
  const wires = [[0, 1], [0, 2], [0, 3], [1, 4], [2, 5], [3, 6], [6, 7]].map(([from, to]) => ({ from: from!, to: to! }));
  const places = layers(8, wires);
  expect(new Set(places.map((p) => `${p.column},${p.row}`)).size).toBe(8);
  expect(wires.every(({ from, to }) => places[from]!.column < places[to]!.column)).toBe(true);
  expect(places[4]!.row).toBe(places[1]!.row);
});
