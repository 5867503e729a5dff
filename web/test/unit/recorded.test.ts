import { expect, test, vi } from 'vitest';
import type { EventInfo, EventPicture, Summary } from '../../src/link/recorded';
import { download, pictureOf } from '../../src/link/recorded';
import { detectorOf, isStill, pictureUrl, Still } from '../../src/link/still';
import type { Header } from '../../src/link/wire';
import { nearest, pathOf, rangeOf } from '../../src/model/curve';
import { folderInShort, Growth, panelsInWords, shownAs, smallInWords, stepAt, summaryInWords, usualDetector, utc, verdict } from '../../src/model/recorded';

const picture: EventPicture = { condition: 'whole', dtype: 'u16', shape: [4, 2, 3], across: 2, panels: 4, damaged: [] };

test('damage is told in words', () => {
  const said = (event: Partial<EventInfo>) => verdict({ event: 0, ...event } as EventInfo);
  expect(said({ picture: picture })).toMatchObject({ level: 'good', details: [] });
  const partial = said({ picture: { ...picture, condition: 'partial', damaged: [{ panel: 2, damage: 'DroppedContribution' }] } });
  expect(partial).toEqual({ level: 'warn', text: 'A part of the picture is damaged or missing.', details: ['panel 2: DroppedContribution'] });
  expect(said({ picture: { ...picture, condition: 'partial' } })).toMatchObject({ level: 'warn', details: [] });
  expect([panelsInWords(picture), panelsInWords({ shape: [1, 185, 388], across: 1 }), panelsInWords({ shape: [2, 3], across: 1 })])
    .toEqual(['4 panels, 2 in a row', null, null]);
  expect(said({ fault: { kind: 'missing', why: 'none' } }).level).toBe('note');
  for (const kind of ['lost', 'broken', 'unreadable', 'no memory'] as const) {
    expect(said({ fault: { kind, why: 'because' } })).toMatchObject({ level: 'alarm', details: ['because'] });
  }
});

test('what is shown of a detector', () => {
  const detector = (shape: number[] | null, dtype: string | null = 'u16') => ({ name: 'a', pictures: true, dtype, shape });
  expect([detector([2, 3]), detector([7]), detector([4, 2, 3]), detector([9], null), detector(null, null)].map(shownAs))
    .toEqual(['picture', 'curve', 'picture', 'table', 'picture']);
  expect(shownAs(undefined)).toBe('nothing');
  const list = { ...detector([7]), name: 'list', pictures: false };
  expect(usualDetector([{ ...detector(null), name: 'none' }, list, { ...detector([2, 2]), name: 'cam' }])).toBe('cam');
  expect([usualDetector([list]), usualDetector([])]).toEqual(['list', '']);
});

test('a run in a few words', () => {
  const summary = {
    path: '/a', format: 'xtc1', events: 1, growing: true, detectors: [], problems: [], files: [{ path: '/a', bytes: 2048 }], event_rate_hz: 120,
    transitions: [{ change: 'BeginStep', event: 0 }, { change: 'Enable', event: 0 }, { change: 'BeginStep', event: 5 }],
  } as unknown as Summary;
  expect(summaryInWords(summary)).toEqual(['XTC of LCLS-I', '1 event', '2 KiB in 1 file', '120 Hz', 'being written']);
  expect([stepAt(summary, 4), stepAt(summary, 6)]).toEqual([{ number: 1, of: 2, first: 0 }, { number: 2, of: 2, first: 5 }]);
  expect(stepAt({ ...summary, transitions: [] }, 0)).toBeNull();
});

test('values beside a picture', () => {
  const small = (values: (number | string | null)[], count = values.length) => smallInWords({ source: '', name: '', unit: '', values, count, damage: 0 });
  expect([small([-3]), small([0.12345678]), small(['on']), small([1, 2], 100), small([]), small([], 3), small([null])])
    .toEqual(['−3', '0.123457', 'on', '1, 2 … (100)', 'cannot be read', '3 values', '–']);
  expect(utc(1_365_000_001_000_000_000)).toBe('2013-04-03 14:40:01.000000 UTC');
  expect([utc(null), utc(0), utc(9e30)]).toEqual(['–', '–', '–']);
  expect([folderInShort('/a/b'), folderInShort('/data/lab/run7')]).toEqual(['/a/b', '…/lab/run7']);
});

test('how fast a file grows', () => {
  const growth = new Growth();
  expect(growth.rate('/a', 1000, 10_000)).toBeNull();
  expect(growth.rate('/a', 3000, 12_000)).toBe(1000);
  expect(growth.rate('/a', 9000, 12_100)).toBe(1000);
  expect(growth.rate('/a', null, 13_000)).toBeNull();
});

test('addresses of recorded pictures', () => {
  const at = pictureOf('/d/a b.xtc', 'Cxi|Cspad-0', 7);
  expect(at).toBe('/api/v1/runs/picture?path=%2Fd%2Fa+b.xtc&detector=Cxi%7CCspad-0&event=7');
  expect([isStill(at), isStill('camera.out')]).toEqual([true, false]);
  expect(detectorOf(at)).toBe(detectorOf(pictureOf('/d/a b.xtc', 'Cxi|Cspad-0', 123)));
  expect(detectorOf(at)).not.toBe(detectorOf(pictureOf('/d/a b.xtc', 'Other', 7)));
  expect(pictureUrl({ from: at, region: [1, 2, 3, 4], fit: null, reduce: 'max', as: 'native' })).toBe(`${at}&as=raw&region=1,2,3,4&reduce=max`);
  for (const [pathname, prefix] of [['/', ''], ['/hosts/daq/', '/hosts/daq']] as const) {
    vi.stubGlobal('location', { pathname });
    expect(download('/a&b.json')).toBe(`${prefix}/api/v1/runs/download?path=%2Fa%26b.json`);
  }
});

test('who drags through a run asks for what can be had, and sees the last one', async () => {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const shown: number[] = [];
  const original = globalThis.fetch;
  globalThis.fetch = ((url: string) => {
    asked.push(url);
    return new Promise((done) => answers.push(() => done(new Response(new Uint8Array([Number(/event=(\d+)/.exec(url)?.[1])])))));
  }) as typeof fetch;
  try {
    const frame = ({ n }: { n: number }) => void shown.push(n);
    const read = (message: ArrayBuffer) => ({ header: {} as Header, n: new Uint8Array(message)[0]! });
    const still = new Still<ReturnType<typeof read>>('', read, { frame, problem: () => {} });
    still.stop(false);
    const want = (event: number) => still.want({ from: pictureOf('/a', 'd', event), region: null, fit: null, reduce: 'max', as: 'native' });
    [0, 1, 2, 3].forEach(want);
    const settle = async () => {
      answers.shift()?.();
      await new Promise((done) => setTimeout(done, 0));
    };
    await settle();
    await settle();
    await settle();
    expect(asked.map((url) => /event=(\d+)/.exec(url)?.[1])).toEqual(['0', '3']);
    expect(shown).toEqual([0, 3]);
  } finally {
    globalThis.fetch = original;
  }
});

test('a curve keeps its peaks on a narrow screen', () => {
  const y = Float64Array.from({ length: 10_000 }, (_, i) => (i === 4321 ? 50 : 0));
  const x = Float64Array.from({ length: 10_000 }, (_, i) => i);
  const path = pathOf(x, y, { low: 0, high: 9999 }, { low: 0, high: 50 }, 100, 20);
  expect(path).toContain(' 0.0');
  expect(path.split('L').length).toBeLessThan(250);
  expect(pathOf([0, 1, 2], [1, NaN, 3], { low: 0, high: 2 }, { low: 1, high: 3 }, 100, 10)).toBe('M0.0 10.0M100.0 0.0');
  expect([rangeOf([3, NaN, 7]), rangeOf([2]), rangeOf([])]).toEqual([{ low: 3, high: 7 }, { low: 1.5, high: 2.5 }, { low: 0, high: 1 }]);
  expect(nearest([0, 10, 20], 14)).toBe(1);
});
