/** What the page says of a run, its losses and its end, through the link that the program prints. */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { NodeNow } from '../../src/link/protocol';
import { startBrowser, type Browser } from './chromium';
import { startProgram, withNewestPage, type Program } from './program';
import { until } from './until';

const camera = 'sim_detector, params: {max_size_x: 320, max_size_y: 240, data_type: u16, color_mode: mono, acquire_time: 1 ms, acquire_period: 50 ms}';
const ONE_REGION = `
memory: 64 MiB
nodes:
  camera: {type: ${camera}}
  ROI1: {type: roi, from: camera}
`;
const NO_REGION = `
memory: 64 MiB
nodes:
  camera: {type: ${camera}}
  STATS1: {type: statistics, from: camera}
`;
// Faster than any machine simulates: what the source could not send is lost in it, and at no edge.
const BEHIND = `
memory: 512 MiB
nodes:
  apa: {type: wib_simulator, params: {links: 1, rate: 200, loop_time: 4.096 ms}}
  hits: {type: hit_finder, from: {node: apa, queue: 100}}
`;

let browser: Browser;
let program: Program | undefined;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser({ width: 1440, height: 900 });
  await withNewestPage(browser.context);
});

afterEach(async () => {
  await page?.close();
  await program?.stop();
  program = undefined;
});

afterAll(async () => {
  await browser?.close();
});

const node = async (name: string) => (await (await fetch(new URL(`/api/v1/nodes/${name}`, program!.url))).json()) as NodeNow;

async function open(pipeline: string, hash = ''): Promise<void> {
  program = await startProgram(pipeline, ['--no-pva']);
  page = await browser.context.newPage();
  await page.goto(program.link);
  await page.waitForSelector('h1');
  if (hash) await page.evaluate((to) => (location.hash = to), hash);
}

test('a region is drawn through the printed link in a run with one region node', async () => {
  await open(ONE_REGION);
  await page.waitForSelector('[data-sequence]');
  await page.waitForSelector('[data-param=min_x]');
  const box = (await page.getByRole('application').boundingBox())!;
  await page.getByRole('button', { name: 'Region', exact: true }).click();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x - 40, y - 30);
  await page.mouse.down();
  await page.mouse.move(x, y, { steps: 3 });
  await page.mouse.move(x + 40, y + 30, { steps: 3 });
  await page.mouse.up();
  await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-region'))).toBe('ROI1');
  await page.keyboard.press('Enter');
  await until(async () => Number((await node('ROI1')).values.min_x)).toBeGreaterThan(0);
  await until(async () => Number(await page.locator('[data-param=min_x]').inputValue())).toBeGreaterThan(0);
});

test('the panel has its values in a run without a region node', async () => {
  await open(NO_REGION);
  await page.waitForSelector('[data-param=gain]');
  expect(await page.locator('aside').first().textContent()).not.toContain('Waiting for its values');
  // Percentiles say over which time they are.
  await page.locator('#node-STATS1').click();
  await until(() => page.locator('td[data-window="1s"]').last().textContent()).toMatch(/\d/);
  expect(await page.locator('aside thead').first().textContent()).toMatch(/last 1 s.*last 10 s.*last 60 s.*whole run/);
});

test('what a source lost has a row, a reason, an age and a part in the sums', async () => {
  await open(BEHIND, '#/ledger');
  await until(() => page.locator('.losses').textContent()).toMatch(/[1-9]\S* lost.*losing now: source gap in apa, (just now|\d+ s ago)/);
  const row = page.locator('tr[data-in-node=apa]');
  await until(() => row.textContent()).toMatch(/source gap [1-9][\d\u2009]*, (just now|\d+ s ago)/);
  const number = async (text: Promise<string | null>) => Number((await text)?.replace(/\D/g, ''));
  await until(async () => number(page.locator('tfoot td').nth(7).textContent())).toBeGreaterThan(0);
});

test('a run that ended in good order is no lost connection, and stays to be read', async () => {
  const ahead = browser.context.waitForEvent('response', (response) => response.url().includes('/Ledger'));
  await open(NO_REGION);
  await page.waitForSelector('[data-sequence]');
  await ahead;
  const tried: string[] = [];
  page.on('websocket', (socket) => tried.push(socket.url()));
  await program!.stop();
  program = undefined;
  await until(() => page.locator('.state').textContent()).toContain('Ended');
  expect(await page.locator('.state .alarm').count()).toBe(0);
  await page.waitForTimeout(5_000);
  expect(await page.locator('.state').textContent()).toContain('Ended');
  expect(tried).toEqual([]);
  expect(await page.locator('[data-sequence]').count()).toBe(1);
  expect(await page.locator('main [role=alert]').count()).toBe(0);
  await page.evaluate(() => (location.hash = '#/ledger'));
  await until(() => page.locator('tbody tr').count()).toBeGreaterThan(0);
  const [report] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download report' }).click()]);
  expect(report.suggestedFilename()).toBe('livetime-report.json');
});

test('a picture that was asked for while the run ended is no problem', async () => {
  program = await startProgram(NO_REGION, ['--no-pva']);
  page = await browser.context.newPage();
  // The worker learns of the end too late, so that it asks a server that has gone.
  await page.addInitScript(() => {
    const post = Worker.prototype.postMessage as (...all: unknown[]) => void;
    Worker.prototype.postMessage = function (this: Worker, ...all: unknown[]) {
      const message = all[0] as { kind?: string; seen?: boolean };
      if (message.kind !== 'seen' || message.seen) post.apply(this, all);
    };
  });
  let unanswered = 0;
  page.on('requestfailed', (request) => (unanswered += Number(request.url().includes('/api/v1/views'))));
  await page.goto(program.link);
  await page.waitForSelector('[data-sequence]');
  await program.stop();
  program = undefined;
  await until(() => page.locator('.state').textContent()).toContain('Ended');
  const ended = unanswered;
  await until(() => unanswered).toBeGreaterThan(ended + 1);
  expect(await page.locator('main [role=alert]').count()).toBe(0);
});

test('who holds the token says who they are', async () => {
  await open(ONE_REGION);
  await until(() => page.locator('.who').textContent()).toContain('Control: free');
  await page.locator('.who').click();
  await page.getByTestId('user').fill('ada');
  await page.getByRole('button', { name: 'Use this name' }).click();
  await page.locator('.who').click();
  await page.getByRole('button', { name: 'Take control' }).click();
  const log = async () => (await (await fetch(new URL('/api/v1/log', program!.url))).json()) as { entries: { text: string; by?: { user: string } }[] };
  await until(async () => (await log()).entries.find((entry) => entry.text === 'take control')?.by?.user).toBe('ada');
});
