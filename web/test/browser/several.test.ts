/** A node of several inputs, a source that pauses, and rules for hosts, in a real browser against the real program. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NodeNow } from '../../src/link/protocol';
import { startBrowser, type Browser } from './chromium';
import { startProgram, withNewestPage, type Program } from './program';
import { until } from './until';

/** Whoever sits at this machine may write. */
const PIPELINE = `
memory: 64 MiB
web: {rules: [{host: local, may: write}]}
nodes:
  camera:
    type: sim_detector
    params: {max_size_x: 320, max_size_y: 240, data_type: u16, color_mode: mono, acquire_time: 1 ms, acquire_period: 100 ms}
  ROI1: {type: roi, from: camera}
  RATES:
    type: rate_monitor
    from: [camera, {node: ROI1, to: in2}]
`;

let browser: Browser;
let program: Program;
let page: Page;

beforeAll(async () => {
  [browser, program] = await Promise.all([startBrowser({ width: 1280, height: 800 }), startProgram(PIPELINE, ['--no-pva'])]);
  await withNewestPage(browser.context);
  page = await browser.context.newPage();
  // Without the token.
  await page.goto(program.url);
  await page.waitForSelector('[data-sequence]');
});

afterAll(async () => {
  await browser?.close();
  await program?.stop();
});

const node = async (name: string) => (await (await fetch(new URL(`/api/v1/nodes/${name}`, program.url))).json()) as NodeNow;
const go = (hash: string) => page.evaluate((to) => (location.hash = to), hash);
const edges = async () => (await node('RATES')).inputs.map(({ from, to, every }) => `${from} ${to} ${every}`);

test('a rule for this machine lets its page write without the token', async () => {
  await until(() => page.locator('.who').textContent()).toContain('Control: free');
  await page.locator('#node-ROI1').click();
  await page.locator('[data-param=min_x]').fill('17');
  await page.keyboard.press('Enter');
  await until(async () => (await node('ROI1')).values.min_x).toBe(17);
  await until(() => page.locator('.who').textContent()).toContain('Control: you');
});

/** A page of somebody else in the same browser, which tries what pages can. */
const HOSTILE = (url: string) => `<!doctype html><script>
  const at = '${url}api/v1/nodes/ROI1';
  const body = JSON.stringify({ set: { min_x: 99 } });
  const tries = {
    patch: () => fetch(at, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body }),
    opaque: () => fetch(at + '/disable', { method: 'POST', mode: 'no-cors', body: '{}' }),
    beacon: () => Promise.resolve(navigator.sendBeacon(at + '/disable', new Blob(['{}'], { type: 'application/json' }))),
    form: () => new Promise((done) => {
      const frame = Object.assign(document.createElement('iframe'), { name: 'f', onload: done });
      const form = Object.assign(document.createElement('form'), { action: at + '/disable', method: 'post', enctype: 'text/plain', target: 'f' });
      document.body.append(frame, form);
      form.submit();
    }),
    read: async () => (await fetch(at)).text(),
    socket: () => new Promise((done, failed) => Object.assign(new WebSocket(at.replace('http', 'ws').replace(/nodes.*/, 'state')),
      { onmessage: (event) => done(event.data), onerror: failed })),
  };
  onload = async () => {
    const got = {};
    for (const [name, attempt] of Object.entries(tries)) {
      got[name] = await attempt().then((found) => (found instanceof Response ? found.type : String(found)), () => 'refused');
    }
    document.title = JSON.stringify(got);
  };
</script><body>`;

test('a page of others in that browser changes nothing and reads nothing', async () => {
  const server: Server = createServer((_, answer) => answer.end(HOSTILE(program.url))).listen(0, '127.0.0.1');
  const other = await browser.context.newPage();
  try {
    await until(() => server.listening).toBe(true);
    // Of this machine, but another port; and of another name.
    for (const host of ['127.0.0.1', 'localhost']) {
      await other.goto(`http://${host}:${(server.address() as AddressInfo).port}/attack.html`);
      await until(() => other.title()).toContain('{');
      const got = JSON.parse(await other.title()) as Record<string, string>;
      expect(got, host).toMatchObject({ patch: 'refused', read: 'refused', socket: 'refused' });
    }
    const now = await node('ROI1');
    expect([now.values.min_x, now.enabled]).toEqual([17, true]);
  } finally {
    await other.close();
    server.close();
  }
});

test('every input of a node is connected anew, added and taken away on Graph', async () => {
  await go('#/graph?node=RATES');
  await page.getByRole('tab', { name: 'Input' }).click();
  const second = page.locator('form[aria-label="Edge from ROI1.out to RATES.in2"]');
  await second.locator('[data-input=every]').fill('3');
  await second.locator('button[type=submit]').click();
  await until(edges).toEqual(['camera.out RATES.in 1', 'ROI1.out RATES.in2 3']);
  // The input that has no edge yet is offered first.
  expect(await page.locator('[data-add=to]').inputValue()).toBe('RATES.in3');
  await page.locator('[data-add=from]').selectOption('ROI1.out');
  await page.getByRole('button', { name: 'Connect' }).click();
  await until(edges).toEqual(['camera.out RATES.in 1', 'ROI1.out RATES.in2 3', 'ROI1.out RATES.in3 1']);
  const third = page.locator('form[aria-label="Edge from ROI1.out to RATES.in3"]');
  await third.locator('select').first().selectOption('camera.out');
  await third.locator('button[type=submit]').click();
  await until(edges).toContain('camera.out RATES.in3 1');
  await second.getByRole('button', { name: 'Take this edge away' }).click();
  await until(edges).toEqual(['camera.out RATES.in 1', 'camera.out RATES.in3 1']);
  await until(() => page.locator('aside form').count()).toBe(3);
  // The first edge stays, and says nothing of going.
  expect(await page.locator('form[aria-label="Edge from camera.out to RATES.in"]').getByRole('button').count()).toBe(0);
});

test('who leaves Live while the source pauses finds its last picture again', async () => {
  await go('#/live');
  await page.waitForSelector('[data-sequence]');
  await page.evaluate(() => fetch('/api/v1/nodes/camera/abort', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }));
  await until(async () => (await node('camera')).acquiring).toBe(false);
  const shown = () => page.locator('[data-sequence]').getAttribute('data-sequence');
  let last = await shown();
  await until(async () => {
    const before = last;
    last = await shown();
    await page.waitForTimeout(2_000);
    return before === last;
  }).toBe(true);
  await go('#/ledger');
  await page.waitForSelector('tfoot');
  // Its view ends after 5 s, and then the output is left.
  await until(async () => {
    const { views } = (await (await fetch(new URL('/api/v1/views', program.url))).json()) as { views: unknown[] };
    return views.length;
  }).toBe(0);
  await page.waitForTimeout(3_000);
  await go('#/live');
  await page.waitForSelector('[data-sequence]');
  expect(await shown()).toBe(last);
  const other = await browser.context.newPage();
  await other.goto(program.url);
  await other.waitForSelector('[data-sequence]');
  expect(await other.locator('[data-sequence]').getAttribute('data-sequence')).toBe(last);
  await other.close();
});
