import { expect, test } from 'vitest';
import { columnsFor, laneFor } from '../../src/model/table';

test('a wide table of a shallow graph has all columns', () => {
  expect(laneFor(3, 530)).toBe(17);
  expect(columnsFor(3 * 17 + 22, 530)).toEqual({ queue: 84, bars: true, cpu: true, latency: true, service: true });
});

test.each([300, 372, 420, 700])('rows deeper than eight keep their names, %s px wide', (wide) => {
  for (const depth of [0, 1, 8, 9, 14, 40]) {
    const lanes = depth * laneFor(depth, wide) + 22;
    const { queue, cpu, latency, service } = columnsFor(lanes, wide);
    const others = 52 + 64 + queue + (cpu ? 34 : 0) + (latency ? 62 : 0) + (service ? 62 : 0);
    expect(wide - lanes - others, `depth ${depth}`).toBeGreaterThanOrEqual(80);
  }
});
