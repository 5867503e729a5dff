import { whyNothingComes } from '../../src/model/reach';
import { expect, test } from 'vitest';
import type { ParamSpec } from '../../src/link/protocol';
import { readAddress, tokenOf, writeAddress } from '../../src/model/address';
import { editable, parse, readable, rowsOf } from '../../src/model/form';
import { byInput } from '../../src/model/inputs';
import { Series } from '../../src/model/series';
import { extent, joined, numbers, usual, type Columns } from '../../src/model/columns';
import { asArguments } from '../../src/screens/settings/changes';
import { colours, MAP_NAMES } from '../../src/picture/maps';

const spec = (name: string, type: ParamSpec['type']): ParamSpec => ({
  name, type, doc: '', unit: null, min: null, max: null, pv: null, readback: false, default: 0, choices: null,
});

test('an address comes back as it was', () => {
  const place = { screen: 'settings' as const, query: { node: 'ROI 1', find: 'a&b=c' } };
  expect(readAddress(writeAddress(place))).toEqual(place);
  expect(readAddress('')).toEqual({ screen: 'live', query: {} });
  expect(readAddress('#/nowhere?x=1')).toEqual({ screen: 'live', query: { x: '1' } });
  expect(writeAddress({ screen: 'live', query: { node: '' } })).toBe('#/live');
  expect([tokenOf('#t=abc'), tokenOf('#/live?t=abc')]).toEqual(['abc', null]);
});

test('edges stand at their inputs, in the order of the declaration', () => {
  const edge = (from: string, to: string) =>
    ({ from, to, nodes: [0, 1] as [number, number], when_full: 'block', open: true, queue: 1, every: 1, max_rate_hz: null });
  const ports = [{ name: 'raw', frames: 'bytes' }, { name: 'hits', frames: 'tables' }];
  const found = byInput('sel', ports, [edge('b.hits', 'sel.hits'), edge('a.out', 'sel.raw'), edge('c.out', 'sel.hits'), edge('d.out', 'sel.new')]);
  expect(found.map(({ port, edges }) => [port, ...edges.map(({ from }) => from)])).toEqual(
    [['raw', 'a.out'], ['hits', 'b.hits', 'c.out'], ['new', 'd.out']]);
  expect(byInput('cam', [], [])).toEqual([]);
});

test('axes of one parameter share a row', () => {
  const rows = rowsOf(['name', 'min_x', 'min_y', 'size_x', 'min_z', 'size_y'].map((name) => spec(name, name === 'name' ? 'text' : 'int')));
  expect(rows.map((row) => [row.title, row.specs.map((s) => s.name)])).toEqual(
    [['name', ['name']], ['min', ['min_x', 'min_y', 'min_z']], ['size', ['size_x', 'size_y']]]);
});

test('what people type', () => {
  expect(parse(spec('a', 'int'), ' 1 024 ')).toEqual({ value: 1024 });
  expect(parse(spec('a', 'int'), '1.5')).toHaveProperty('problem');
  expect(parse(spec('a', 'int'), '')).toHaveProperty('problem');
  expect(parse(spec('a', 'float'), '\u22121e-3')).toEqual({ value: -0.001 });
  expect(parse(spec('a', 'float'), 'fast')).toHaveProperty('problem');
  expect(parse(spec('a', 'list'), '[1, 2 3]')).toEqual({ value: [1, 2, 3] });
  expect(parse(spec('a', 'text'), ' x ')).toEqual({ value: ' x ' });
  expect([editable([1, 2]), editable(null), editable(0.1)]).toEqual(['1, 2', '', '0.1']);
  expect([readable(true), readable([1, 2, 3, 4, 5]), readable('')]).toEqual(['yes', '1, 2, 3, 4, … (5)', '–']);
});

test('series grow at the end, are cut at the start, and keep their peaks', () => {
  const series = new Series(['a'], 1000);
  const add = (times: number[], values: number[]) =>
    series.add({ step: 'fine', times: Float64Array.from(times), series: [Float32Array.from(values)] });
  add([0, 500, 900], [1, NaN, 3]);
  add([900, 1000, 1600], [9, 4, 5]);
  expect([series.times, series.columns]).toEqual([[900, 1000, 1600], [[3, 4, 5]]]);
  add(Array.from({ length: 100 }, (_, i) => 1601 + i), Array.from({ length: 100 }, (_, i) => (i === 57 ? 1000 : 1)));
  const { times, columns } = series.thinned(10);
  expect(times.length).toBeLessThanOrEqual(10);
  expect(Math.max(...(columns[0] as number[]))).toBe(1000);
});

test('differences as arguments and as a file', () => {
  const changed = [{ node: 'ROI1', params: [{ param: 'min_x', before: 0, now: 128 }, { param: 'name', before: '', now: "it's" }] }];
  expect(asArguments(changed)).toBe(`--set ROI1.min_x=128 --set 'ROI1.name=it'\\''s'`);
});

test('every map has 256 opaque colours, dark to light or back where it says so', () => {
  for (const name of MAP_NAMES) {
    const table = colours(name);
    expect(table).toHaveLength(1024);
    expect(table.every((byte, i) => i % 4 !== 3 || byte === 255)).toBe(true);
  }
  expect([...colours('grey').slice(4 * 128, 4 * 128 + 3)]).toEqual([128, 128, 128]);
});

test('columns of tables by their names, and 64-bit times from the first', () => {
  expect(usual(['flags', 'channel', 'start', 'sum'])).toEqual({ x: 'start', y: 'channel', colour: 'sum' });
  expect(usual(['a', 'b'])).toEqual({ x: 'a', y: 'b', colour: '' });
  expect(usual([])).toEqual({ x: '', y: '', colour: '' });
  const { values, from } = numbers(BigUint64Array.from([2n ** 62n + 5n, 2n ** 62n]));
  expect([[...values], from]).toEqual([[5, 0], '4611686018427387904']);
  const tables = [[1, 2], [3], []].map((values): Columns => new Map([['a', Uint16Array.from(values)], ['b', Int8Array.from(values)]] as never));
  expect([...(joined(tables).get('a') as Uint16Array)]).toEqual([1, 2, 3]);
  expect(joined(tables).get('b')).toBeInstanceOf(Int8Array);
  expect(joined([]).size).toBe(0);
  expect([extent(Float64Array.from([3, 1, NaN])), extent(new Float64Array()), extent(Float64Array.from([2]))]).toEqual(
    [[1, 3], [0, 1], [1.5, 2.5]]);
});

test('a page that gets nothing says what a proxy has to do', () => {
  expect(whyNothingComes('daq7', 'daq7:9443')).toContain('asked for at daq7:9443, but a proxy told the server daq7');
  expect(whyNothingComes(null, 'daq7')).toContain('no name');
  expect(whyNothingComes('DAQ7:9443', 'daq7:9443')).toContain('`Upgrade`');
});
