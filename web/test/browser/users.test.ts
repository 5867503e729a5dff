/** The page as its users see it: windows of all widths, deep graphs, very wide pictures, keys and wheel wherever the pointer is. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Download, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { counts, MockRun, type MockOptions } from '../mock-run';
import { startBrowser, type Browser } from './chromium';
import { decodePng } from './png';
import { until } from './until';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser: Browser;
let mock: MockRun | undefined;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser({ width: 1440, height: 900 });
});
afterEach(async () => {
  await page?.close();
  await mock?.close();
  mock = undefined;
});
afterAll(() => browser?.close());

async function open(options: MockOptions = {}, hash = '#/live', size = { width: 1440, height: 900 }): Promise<MockRun> {
  mock = new MockRun(options);
  page = await browser.context.newPage();
  await page.setViewportSize(size);
  await page.goto((await mock.listen()) + hash);
  await page.waitForSelector('h1');
  return mock;
}

const pictured = () => page.waitForSelector('[data-sequence]');
const boxOf = async (what: Locator) => (await what.boundingBox())!;

/** Whether all of it is in the window, and nothing lies on it. */
const isInSight = (what: Locator) => what.evaluate((element) => {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const clips = (box: DOMRect) => left >= box.left - 0.5 && right <= box.right + 0.5 && top >= box.top - 0.5 && bottom <= box.bottom + 0.5;
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    if (getComputedStyle(parent).overflow !== 'visible' && !clips(parent.getBoundingClientRect())) return false;
  }
  const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return clips(new DOMRect(0, 0, innerWidth, innerHeight)) && on !== null && (element.contains(on) || on.contains(element));
});

async function violations(): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const axe = (window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }).axe;
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(' | ')}`);
  });
}

// ---- Windows of all widths ----

test.each([[390, 844], [600, 900], [768, 1024], [1024, 768], [1100, 800], [1440, 900]])('losses, rate and Stop are in sight at %s x %s', async (width, height) => {
  const run = await open({ branches: 5, longNames: true }, '#/live', { width, height });
  run.lost = 123_456;
  await pictured();
  const lost = page.locator('[data-losses] b').first();
  await until(() => lost.textContent()).toMatch(/123.456 lost/);
  const screens = ['live', 'ledger', 'graph', 'plots', 'settings', 'runs', 'live?full=1'];
  for (const screen of screens) {
    await page.evaluate((hash) => (location.hash = hash), `#/${screen}`);
    await page.waitForSelector('h1', { state: 'attached' });
    await until(() => isInSight(lost)).toBe(true);
    await until(() => isInSight(page.getByText(/^200\.0 Hz$/).first())).toBe(true);
    await until(() => isInSight(page.getByRole('button', { name: 'Stop run…' }))).toBe(true);
    if (screen === 'ledger') {
      for (const of of [page.locator('td.n.warn').first(), page.getByText(/^queue full/).last()]) {
        await of.waitFor();
        const place = await boxOf(of);
        expect(place.x + place.width, 'the account of the loss').toBeLessThanOrEqual(width);
      }
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), screen).toBeLessThanOrEqual(0);
  }
});

test('a phone: the picture is as wide as the window, and everything else stands below it', async () => {
  await open({ branches: 3 }, '#/live', { width: 390, height: 844 });
  await pictured();
  const picture = await boxOf(page.getByTestId('picture'));
  expect(picture.width).toBeGreaterThan(300);
  expect(picture.height).toBeGreaterThan(250);
  expect(picture.y + picture.height).toBeLessThan(844);
  const table = await boxOf(page.locator('section[aria-label=Pipeline]'));
  expect(table.y).toBeGreaterThan(picture.y + picture.height);
  await page.waitForSelector('[data-region]');
  expect(await violations()).toEqual([]);
  // The screens are reached at its lower edge.
  await page.getByRole('link', { name: 'Ledger' }).click();
  await page.waitForSelector('tfoot');
  expect(await violations()).toEqual([]);
});

// ---- Names ----

test('rows deeper than eight keep their names, and long names the end that tells them apart', async () => {
  await open({ chain: 14, branches: 3, longNames: true });
  await pictured();
  for (const width of [1440, 1100, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const rows = page.locator('section[aria-label=Pipeline] tbody').first().locator('th button');
    await until(() => rows.count()).toBe(21);
    const seen = () => rows.evaluateAll((all) => all.map((button) => {
      const end = button.querySelector('.end')!.getBoundingClientRect();
      const [cell, own] = [button.closest('th')!.getBoundingClientRect(), button.getBoundingClientRect()];
      return own.width >= 34 && end.right <= Math.min(cell.right, own.right) + 1 && (end.width > 0 || own.right <= cell.right + 1);
    }));
    await until(async () => (await seen()).filter((isSeen) => !isSeen).length).toBe(0);
  }
  expect(await page.locator('th button .end').allTextContents()).toContain('CHAIN_14');
});

// ---- Graph ----

test('the graph is seen as a whole, and zoomed about the pointer', async () => {
  await open({ branches: 25, longNames: true }, '#/graph');
  const canvas = page.getByRole('region', { name: 'Graph' });
  const [sheet, window] = [await boxOf(page.locator('.sheet')), await boxOf(canvas)];
  expect(sheet.height).toBeLessThanOrEqual(window.height);
  expect(sheet.height).toBeGreaterThan(window.height * 0.9);
  const node = page.locator('.sheet button[title^="STATS9,"]');
  const before = await boxOf(node);
  const [x, y] = [before.x + before.width / 2, before.y + before.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -400);
  await until(() => page.url()).toContain('graph=');
  await until(async () => (await boxOf(node)).width).toBeGreaterThan(before.width * 1.9);
  // What is narrower than its place stays in the middle of it.
  const after = await boxOf(node);
  expect(Math.abs(after.y + after.height / 2 - y)).toBeLessThan(4);
  await page.keyboard.press('0');
  await until(() => page.url()).not.toContain('graph=');
  await page.getByRole('button', { name: '1:1' }).click();
  await until(() => page.getByTestId('zoom').textContent()).toBe('100 %');
  expect(await violations()).toEqual([]);
});

// ---- Pictures ----

test('a very wide picture fills its place; the switch gives it equal axes again', async () => {
  const run = await open({ size: 2560, height: 32, branches: 1 });
  await pictured();
  await page.waitForSelector('[data-region]');
  const region = page.locator('[data-region=ROI1]');
  const room = await boxOf(page.getByTestId('picture'));
  await until(async () => (await boxOf(region)).height).toBeGreaterThan(room.height * 0.95);
  // What is under the pointer is where the axes say.
  const [x, y] = [1920, 24];
  await page.mouse.move(room.x + (room.width * (x + 0.5)) / 2560, room.y + (room.height * (y + 0.5)) / 32);
  await until(() => page.getByTestId('value').textContent()).toMatch(/^\d+$/);
  const [atX, atY] = (await page.locator('.readout b').allTextContents()).map(Number);
  expect([Math.abs(atX! - x) <= 3, atY]).toEqual([true, y]);
  expect(Number(await page.getByTestId('value').textContent())).toBe(counts(atX!, atY!, 2560));
  const views = () => run.requests.filter(({ path }) => path.startsWith('/api/v1/views')).map(({ body }) => body as { axes?: string });
  await until(() => views().at(-1)?.axes).toBe('own');
  await page.getByRole('button', { name: 'Stretch' }).click();
  await until(async () => (await boxOf(region)).height).toBeLessThan(12);
  expect(page.url()).toContain('axes=equal');
  await until(() => views().at(-1)?.axes).toBe(undefined);
  await page.getByRole('button', { name: 'Stretch' }).click();
  // Only across: the rows stay as high as they are.
  await page.mouse.move(room.x + room.width / 3, room.y + room.height / 2);
  await page.keyboard.down('Shift');
  await page.mouse.wheel(0, -400);
  await page.keyboard.up('Shift');
  await until(async () => Math.round((await boxOf(region)).width)).toBeGreaterThan(room.width * 0.9);
  expect((await boxOf(region)).height).toBeGreaterThan(room.height * 0.95);
});

const textOf = async (download: Download) => readFileSync((await download.path())!);

test('a picture is saved as it is drawn, and as values', async () => {
  await open({}, '#/live?map=viridis&range=0..900');
  await pictured();
  await page.getByRole('button', { name: 'Save' }).click();
  const kept = async (name: RegExp) => (await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]))[0];
  const png = await kept(/As drawn/);
  expect(png.suggestedFilename()).toBe('detector.out-7.png');
  const drawn = decodePng(await textOf(png));
  const room = await boxOf(page.getByTestId('picture'));
  expect([drawn.width, drawn.height]).toEqual([Math.round(room.width), Math.round(room.height)]);
  expect(new Set(Array.from({ length: drawn.width }, (_, x) => drawn.pixels[(drawn.width * Math.floor(drawn.height / 2) + x) * 4 + 1])).size).toBeGreaterThan(20);
  const npy = await kept(/Values shown/);
  expect(npy.suggestedFilename()).toBe('detector.out-7.npy');
  const file = await textOf(npy);
  const head = file.readUInt16LE(8);
  expect(file.toString('latin1', 10, 10 + head)).toContain("'<u2', 'fortran_order': False, 'shape': (512, 512)");
  for (const [x, y] of [[0, 0], [300, 17], [511, 511]]) expect(file.readUInt16LE(10 + head + (y! * 512 + x!) * 2)).toBe(counts(x!, y!, 512));
  expect(await page.getByRole('link', { name: /whole/ }).getAttribute('href')).toContain('api/v1/picture?from=detector.out&as=npy');
  expect(await violations()).toEqual([]);
});

test('two outputs beside each other, each with its own contrast and zoom', async () => {
  await open({ branches: 2 });
  await pictured();
  await page.getByRole('button', { name: 'Another output beside it' }).click();
  await until(() => page.locator('[data-sequence]').count()).toBe(2);
  expect(page.url()).toContain('view2=ROI1.out');
  const second = page.getByRole('region', { name: 'Picture beside it' });
  await second.getByRole('button', { name: 'Log' }).click();
  await until(() => page.url()).toContain('scale2=log');
  expect(await page.getByRole('region', { name: 'Picture', exact: true }).getByRole('button', { name: 'Lin', exact: true }).getAttribute('aria-pressed')).toBe('true');
  // Keys go to the picture under the pointer.
  await second.getByTestId('picture').hover();
  await page.keyboard.press('+');
  await until(() => page.url()).toContain('zoom2=');
  expect(page.url()).not.toMatch(/[?&]zoom=/);
  expect(await violations()).toEqual([]);
  await second.getByRole('button', { name: 'Close this picture' }).click();
  await until(() => page.locator('[data-sequence]').count()).toBe(1);
  expect(page.url()).not.toContain('2=');
});

test('keys work without a click', async () => {
  await open();
  await pictured();
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
  await page.keyboard.press('h');
  await until(() => page.locator('.room').textContent()).toContain('Held');
  await page.keyboard.press('h');
  await until(() => page.locator('.room').textContent()).not.toContain('Held');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await until(() => page.locator('.readout b').allTextContents()).toEqual(['257', '266']);
  await page.keyboard.press('+');
  await until(() => page.url()).toContain('zoom=');
  await page.keyboard.press('0');
  await until(() => page.url()).not.toContain('zoom=');
  await page.keyboard.press('l');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Enter');
  await until(() => page.url()).toContain('line=257%2C266%2C267%2C266');
  // From a button of the pipeline, too; there arrow keys go from node to node.
  await page.locator('#node-ROI2').focus();
  await page.keyboard.press('+');
  await until(() => page.url()).toContain('zoom=');
  await page.keyboard.press('ArrowDown');
  await until(() => page.url()).toContain('node=STATS2');
  // Where text is typed, letters are letters, and with Control they are the browser's.
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('Control+h');
  await page.locator('[data-param]').first().waitFor();
  await page.evaluate(() => (location.hash = '#/live?node=ROI1'));
  await page.locator('[data-param=name]').fill('');
  await page.locator('[data-param=name]').press('h');
  expect(await page.locator('[data-param=name]').inputValue()).toBe('h');
  expect(await page.locator('.room').textContent()).not.toContain('Held');
});

test('a picture fills the window by a key, and losses stay above it', async () => {
  const run = await open();
  run.lost = 12;
  await pictured();
  const before = await boxOf(page.getByTestId('picture'));
  await page.keyboard.press('f');
  await until(() => page.url()).toContain('full=1');
  await until(async () => (await boxOf(page.getByTestId('picture'))).width).toBeGreaterThan(before.width * 1.5);
  await until(() => isInSight(page.locator('[data-losses] b').first())).toBe(true);
  expect(await page.getByRole('navigation').isVisible()).toBe(false);
  await page.keyboard.press('f');
  await until(() => page.url()).not.toContain('full=1');
  await until(() => page.getByRole('navigation').isVisible()).toBe(true);
});

test('wheel and cross-hair work on the edges and the title of a region', async () => {
  await open({ branches: 2 }, '#/live?node=ROI1');
  await pictured();
  for (const part of ['.edge.left', '.title', '[data-handle=n]']) {
    const box = await boxOf(page.locator(`[data-region=ROI1] ${part}`));
    await page.mouse.move(2, 400);
    await until(() => page.locator('.readout b').allTextContents()).toEqual(['256', '256']);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await until(() => page.locator('.readout b').allTextContents()).not.toEqual(['256', '256']);
    await page.mouse.wheel(0, -200);
    await until(() => page.url()).toContain('zoom=');
    await page.keyboard.press('0');
    await until(() => page.url()).not.toContain('zoom=');
  }
});

// ---- Charts, colours, keys ----

test('charts begin at one minute, and their window is chosen', async () => {
  mock = new MockRun();
  page = await browser.context.newPage();
  const asked: number[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.searchParams.has('of')) asked.push(Date.now() - Number(url.searchParams.get('since_ms')));
  });
  await page.goto(`${await mock.listen()}#/live`);
  const choice = page.getByLabel('How far back');
  await until(() => choice.inputValue()).toBe('');
  await until(() => asked.length).toBeGreaterThan(0);
  expect(asked[0]).toBeLessThan(90_000);
  asked.length = 0;
  await choice.selectOption('10 min');
  await until(() => asked.some((back) => back > 500_000 && back < 700_000)).toBe(true);
  expect(page.url()).toContain('past=10min');
  // The same on the other screens.
  await page.evaluate(() => (location.hash = '#/plots?past=1h'));
  await until(() => page.getByLabel('How far back').inputValue()).toBe('1h');
});

test('what pages are not shown is not in the colour of loss', async () => {
  await open({ outlet: true }, '#/ledger');
  const reason = page.getByText('overwritten 17');
  await reason.waitFor();
  const colours = await reason.evaluate((element) => {
    const token = (name: string) => {
      const probe = document.body.appendChild(Object.assign(document.createElement('i'), { className: name }));
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    };
    return { found: getComputedStyle(element).color, asked: token('asked'), warn: token('warn') };
  });
  expect(colours.found).toBe(colours.asked);
  expect(colours.found).not.toBe(colours.warn);
});

test('a run without pictures opens on its tables; Live has then the room of the picture for the rest', async () => {
  await open({ arrays: false, tables: true }, '');
  await page.waitForSelector('main canvas');
  expect(await page.getByRole('heading', { name: 'Trigger' }).count()).toBe(1);
  expect(await page.getByRole('link', { name: 'Trigger' }).getAttribute('aria-current')).toBe('page');
  await page.keyboard.press('1');
  await page.waitForSelector('[data-param]');
  expect(await page.getByRole('region', { name: 'Picture' }).count()).toBe(0);
  expect((await boxOf(page.locator('section[aria-label=Pipeline]'))).width).toBeGreaterThan(700);
  expect(await violations()).toEqual([]);
});

test('the keys are in the order of the document, whether there are tables or not', async () => {
  const text = readFileSync(fileURLToPath(new URL('../../../docs/web.md', import.meta.url)), 'utf8');
  const row = /^\| `1` to `7` \| the screens: (.*?) where/m.exec(text)![1]!;
  const named = row.split(/,(?: and)? | and /).map((name) => name.trim());
  await open({ tables: true });
  await until(() => page.getByRole('navigation').getByRole('link').allTextContents().then((all) => all.map((name) => name.trim()))).toEqual(named);
  for (const [i, name] of named.entries()) {
    await page.keyboard.press(String(i + 1));
    await until(() => page.url()).toContain(`#/${name.toLowerCase()}`);
  }
  await page.close();
  await mock?.close();
  await open({});
  await until(() => page.getByRole('navigation').getByRole('link').allTextContents().then((all) => all.map((name) => name.trim()))).toEqual(named.slice(0, -1));
});
