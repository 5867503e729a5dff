/** The pages of two hosts through one of them, in a real browser against the real program. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NodeNow } from '../../src/link/protocol';
import { startBrowser, type Browser } from './chromium';
import { startProgram, withNewestPage, type Program } from './program';
import { until } from './until';

/** Every address of 127.0.0.0/8 is this machine's: this process has some of its own. */
const LOOP = `127.${1 + ((process.pid >> 8) & 127)}.${process.pid & 255}`;
const TOKEN = '0123456789abcdef-of-all-hosts';
const PIPELINE = `
memory: 256 MiB
hosts:
  daq: {address: '${LOOP}.31:7440'}
  ana: {address: '${LOOP}.32:7440'}
nodes:
  camera:
    type: sim_detector
    host: daq
    params: {max_size_x: 320, max_size_y: 240, data_type: u16, color_mode: mono, acquire_time: 1 ms, acquire_period: 100 ms}
  ROI1: {type: roi, host: ana, from: camera}
`;

let browser: Browser;
let daq: Program;
let ana: Program;
let page: Page;
let killed = false;

const start = (host: string) => startProgram(PIPELINE, ['--host', host, '--no-pva', '--web', `${LOOP}.${host === 'daq' ? 31 : 32}:8090`], TOKEN);
const tone = (host: string) => page.locator('nav[aria-label=Hosts] a', { hasText: host }).first().getAttribute('data-tone');
const whole = () => page.locator('nav[aria-label=Hosts] small').textContent();

beforeAll(async () => {
  browser = await startBrowser({ width: 1280, height: 800 });
  // One after the other: what has started is ended, also when the next one does not start.
  daq = await start('daq');
  ana = await start('ana');
  await withNewestPage(browser.context);
  page = await browser.context.newPage();
  await page.goto(daq.link);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([daq?.kill(), ana?.kill()]);
});

test('the page of a host shows all hosts', async () => {
  await until(() => tone('ana')).toBe('up');
  await until(() => tone('daq')).toBe('up');
  await until(whole).toBe('all 2 hosts answer, nothing lost');
  expect(await page.locator('nav[aria-label=Hosts] a[aria-current]').textContent()).toMatch(/^daq:/);
});

test('the page of another host has its picture, and changes it by the same login', async () => {
  await page.locator('nav[aria-label=Hosts] a', { hasText: 'ana' }).first().focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/hosts\/ana\//);
  await page.waitForSelector('[data-sequence]');
  await page.locator('#node-ROI1').click();
  await page.locator('[data-param=min_x]').fill('17');
  await page.keyboard.press('Enter');
  const node = async () => (await (await fetch(new URL('/api/v1/nodes/ROI1', ana.url))).json()) as NodeNow;
  await until(async () => (await node()).values.min_x).toBe(17);
  await until(() => page.locator('.who').textContent()).toContain('Control: you');
  const log = await (await fetch(new URL('/api/v1/log', ana.url))).text();
  expect(log).toContain('"door":"daq"');
});

test('a host that is killed is gone, and nothing is said of its losses', async () => {
  // When the test is repeated, the host may be gone already.
  if (killed) ana = await start('ana');
  await page.goto(daq.url);
  await until(() => tone('ana')).toBe('up');
  await ana.kill();
  killed = true;
  await until(() => tone('ana')).toBe('gone');
  await until(whole).toMatch(/^1 of 2 hosts answer · ana: gone since .*its losses are unknown/);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await until(() => page.locator('nav[aria-label=Hosts] a').first().isVisible()).toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });
  // Its own page says why there is nothing, and goes on by itself when the host is back.
  await page.goto(`${daq.url}hosts/ana/`);
  await until(() => page.locator('main').textContent()).toContain('cannot connect to');
  ana = await start('ana');
  killed = false;
  await until(() => tone('ana')).toBe('up');
  await page.waitForSelector('[data-sequence]');
});
