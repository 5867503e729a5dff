/** The page against a run that is only spoken of: sizes, names and states that a real run shows seldom; and axe-core on all screens. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { HostState } from '../../src/link/protocol';
import { HITS, MockRun, type MockOptions } from '../mock-run';
import { startBrowser, type Browser } from './chromium';
import { until } from './until';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser: Browser;
let mock: MockRun | undefined;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser({ width: 1280, height: 720 });
});
afterEach(async () => {
  await page?.close();
  await mock?.close();
  mock = undefined;
});
afterAll(() => browser?.close());

async function open(options: MockOptions = {}, hash = '#/live'): Promise<MockRun> {
  mock = new MockRun(options);
  page = await browser.context.newPage();
  await page.goto((await mock.listen()) + hash);
  await page.waitForSelector('h1');
  return mock;
}

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

async function violations(): Promise<string[]> {
  // Injected through the debugger, which the page's own policy does not concern.
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const axe = (window as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }).axe;
    return (await axe.run()).violations;
  });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary ?? ''}`).slice(0, 3).join(' | ')}`);
}

test.each(['dark', 'light'] as const)('no violation on any screen, %s', async (colorScheme) => {
  await open({ tables: true });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.waitForSelector('[data-sequence]');
  const screens = [
    ['live', '[data-region]'], ['graph', '.sheet'], ['trigger', 'main canvas'], ['plots', '.plot'], ['settings', '[data-param]'], ['ledger', 'tfoot'],
    ['runs', '.entry'],
  ];
  for (const [screen, ready] of screens) {
    await page.evaluate((hash) => (location.hash = hash), `#/${screen}`);
    await page.waitForSelector(ready!);
    expect(await violations(), screen).toEqual([]);
  }
});

test.each(['dark', 'light'] as const)('no violation in what screens show besides, %s', async (colorScheme) => {
  await open({}, '#/live?line=20,30,200,90');
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  for (const [hash, ready] of [
    ['#/live?line=20,30,200,90', '[data-testid=line]'], ['#/settings?settings=file', 'tr.now'],
    ['#/plots?plot=against&of=run.hz,run.cpu', '[data-testid=pairs]'],
  ]) {
    await page.evaluate((hash) => (location.hash = hash!), hash);
    await page.waitForSelector(ready!);
    expect(await violations(), hash).toEqual([]);
  }
});

test('the pipeline file: what differs is marked, and it can be downloaded', async () => {
  await open({}, '#/settings?settings=file');
  await until(() => page.locator('tr.now').textContent()).toContain('params: {min_x: 7}');
  expect(await page.locator('tr.was').count()).toBe(1);
  expect(await page.getByTestId('differences').textContent()).toContain('1 value differs from mock.yaml');
  await page.getByLabel('only what differs').check();
  expect(await page.locator('.text tr').count()).toBeLessThan(10);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()]);
  expect(download.suggestedFilename()).toBe('mock.yaml');
});

test('one value against another', async () => {
  await open({}, '#/plots?plot=against&of=run.hz,run.cpu');
  await until(() => page.getByTestId('pairs').textContent()).toMatch(/^[1-9]\d* moments · correlation 1$/);
  await page.getByLabel('Up').selectOption('run.hz');
  await until(() => page.url()).toContain('y=run.hz');
});

test('fifty nodes with long names: nothing sticks out of its place', async () => {
  await open({ branches: 25, longNames: true });
  await page.waitForSelector('[data-sequence]');
  expect(await page.locator('section[aria-label=Pipeline] tbody').first().locator('tr').count()).toBe(51);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(wide).toBeLessThanOrEqual(0);
  const outside = await page.evaluate(() => [...document.querySelectorAll('.panel, header, nav')].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
  }).map((element) => element.className));
  expect(outside).toEqual([]);
  expect(await violations()).toEqual([]);
});

test('who may not write sees everything and can change nothing', async () => {
  await open({ writable: false });
  await until(() => page.locator('.who').textContent()).toContain('only looks');
  await page.waitForSelector('[data-param=min_x]');
  expect(await page.locator('[data-param=min_x]').isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Stop run…' }).isDisabled()).toBe(true);
  expect(await page.locator('[data-handle]').count()).toBe(0);
});

test('without pictures the page says what it waits for', async () => {
  await open({ pictures: false });
  await until(() => page.locator('.room').textContent()).toContain('Waiting for a frame of detector.out');
  expect(await violations()).toEqual([]);
});

test('a loss is amber, named and dated', async () => {
  const run = await open();
  await until(() => page.locator('.figures').textContent()).toContain('0 lost');
  run.lost = 12;
  await until(() => page.locator('.figures').textContent()).toMatch(/12 lost.*losing now: queue full on \S+ -> STATS4.in, (just now|\d+ s ago)/);
  expect(await page.locator('circle.lost').count()).toBe(1);
});

test('a link shows what its sender saw', async () => {
  await open({}, '#/live?node=STATS2&scale=log&map=viridis&range=10..500&zoom=2,100,120');
  await page.waitForSelector('[data-sequence]');
  expect(await page.getByRole('button', { name: 'Log', exact: true }).getAttribute('aria-pressed')).toBe('true');
  expect(await page.locator('.map select').inputValue()).toBe('viridis');
  await until(() => page.locator('.numbers').textContent()).toContain('10 to 500');
  expect(await page.locator('#node-STATS2').getAttribute('aria-pressed')).toBe('true');
  await page.locator('#node-ROI1').click();
  expect(page.url()).toContain('node=ROI1');
});

test('contrast by dragging and by keys; percentiles again by a press', async () => {
  await open();
  await page.waitForSelector('[data-sequence]');
  const low = page.getByRole('slider', { name: 'Darkest value' });
  await low.focus();
  const before = Number(await low.getAttribute('aria-valuenow'));
  await page.keyboard.press('Shift+ArrowRight');
  await until(async () => Number(await low.getAttribute('aria-valuenow'))).toBeGreaterThan(before);
  expect(page.url()).toContain('range=');
  await page.getByRole('button', { name: /^Auto/ }).click();
  await until(() => page.url()).not.toContain('range=');
});

/** A host of each kind. */
const HOSTS: HostState[] = [
  ['daq', {}], ['ana', { losses: 'losing', unintended: 12, text: 'queue full on cut.out -> stats.in' }], ['store', { losses: 'has_lost', unintended: 3 }],
  ['workers.1', { reachable: false, losses: null, why: 'cannot connect to daq1:8090' }], ['workers.2', { reachable: false, losses: null, heard_ns: null }],
  ['workers.3', { state: 'failed', failure: 'no file' }], ['workers.4', { state: 'ended' }],
].map(([name, more]) => ({
  name: name as string, page: null, self: name === 'daq', reachable: true, code: null, why: null, since_ns: 1e18, heard_ns: 1e18, state: 'running',
  failure: null, losses: 'nothing', text: null, unintended: 0, closed: true, in_doubt: 0, frames: 1, ...(more as Partial<HostState>),
}));

test.each(['dark', 'light'] as const)('hosts of each kind are told by shape and word, %s', async (colorScheme) => {
  await open({ hosts: HOSTS });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  const links = page.locator('nav[aria-label=Hosts] a');
  await until(() => links.count()).toBe(HOSTS.length);
  expect(await links.evaluateAll((all) => all.map((link) => (link as HTMLElement).dataset.tone))).toEqual(
    ['up', 'losing', 'lost', 'gone', 'unknown', 'failed', 'ended']);
  await until(() => page.locator('nav[aria-label=Hosts] small').textContent()).toMatch(/^5 of 7 hosts answer · workers\.3: failed: no file/);
  expect(await violations()).toEqual([]);
  for (const width of [390, 768]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    // The last one, too, is reached by keys.
    await links.last().focus();
    await until(() => links.last().evaluate((link) => link.getBoundingClientRect().right <= innerWidth)).toBe(true);
    expect(await violations()).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

test('settings: found, changed, refused, applied', async () => {
  const run = await open({}, '#/settings?find=ROI2+bin');
  await page.waitForSelector('[data-param=bin_x]');
  expect(await page.locator('tbody tr').count()).toBe(2);
  await page.locator('[data-param=bin_x]').fill('0');
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await until(() => page.getByRole('alert').textContent()).toContain('wanted 1 to 1024, found 0');
  await page.locator('[data-param=bin_x]').fill('4');
  await page.locator('[data-param=bin_y]').fill('2');
  await page.getByRole('button', { name: 'Apply 2 changes' }).click();
  await until(() => page.locator('.differs').count()).toBe(2);
  expect(run.requests.filter((request) => request.method === 'PATCH').at(-1)?.body).toEqual({ set: { bin_x: 4, bin_y: 2 } });
});

test('settings: what differs from the file is marked, with its source and a way back', async () => {
  const run = await open({ restored: { node: 'ROI1', param: 'bin_x', file: 1, now: 3 } }, '#/settings?find=ROI1+bin_x');
  await until(() => page.locator('.differs').textContent()).toContain('was 1');
  await until(() => page.locator('.differs').textContent()).toContain('settings, ada');
  expect(await page.getByTestId('kept').textContent()).toContain('kept in mock.settings.json');
  await page.getByRole('button', { name: 'Value of the pipeline file for bin_x' }).click();
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await until(() => page.locator('.differs').count()).toBe(0);
  expect(run.requests.at(-1)?.body).toEqual({ set: { bin_x: 1 } });
  await page.getByRole('button', { name: 'Save now' }).click();
  await page.getByRole('button', { name: 'Restore' }).click();
  await until(() => run.requests.map(({ path }) => path).slice(-2)).toEqual(['/api/v1/settings/save', '/api/v1/settings/restore']);
});

test('settings: the form of a node marks what differs from the file, too', async () => {
  await open({ restored: { node: 'ROI1', param: 'bin_x', file: 1, now: 3 } }, '#/graph?node=ROI1');
  await until(() => page.locator('form[aria-label="Parameters of ROI1"]').textContent()).toMatch(/x\s+was 1\s+↺\s+in the file/);
  await page.getByRole('button', { name: 'Value of the pipeline file for bin_x' }).click();
  expect(await page.locator('[data-param=bin_x]').inputValue()).toBe('1');
  expect(await violations()).toEqual([]);
});

test('hits are drawn as points and listed; a run without tables has no such screen', async () => {
  await open({ tables: true }, '#/trigger');
  await page.waitForSelector('main canvas');
  const shown = page.locator('main');
  await until(() => shown.textContent()).toContain('start_time');
  // The first hit, with all digits of its time.
  await until(() => shown.textContent()).toContain(String(2n ** 60n));
  const inked = () => page.locator('main canvas').first().evaluate((canvas: HTMLCanvasElement) => {
    const pixels = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height).data;
    return pixels.filter((value, i) => i % 4 === 3 && value > 0).length;
  });
  await until(inked).toBeGreaterThan(HITS);
  await page.close();
  await mock?.close();
  await open({});
  expect(await page.locator('nav').textContent()).not.toContain('Trigger');
});
