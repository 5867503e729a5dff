/** The screen Runs in a real browser against the real program: files that it writes, and files that lie there. */

import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pictureOf, type Recorded, type Written } from '../../src/link/recorded';
import { readPicture } from '../../src/link/wire';
import { colourIndex } from '../../src/model/contrast';
import { colours } from '../../src/picture/maps';
import { startBrowser, type Browser } from './chromium';
import { decodePng } from './png';
import { startProgram, withNewestPage, type Program } from './program';
import { until } from './until';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const DETECTOR = 'DetLab-0|Opal1000-0';

/** Twelve events of a camera as XTC, which is then complete; and a second file that goes on for as long as the run does. */
const pipeline = (folder: string) => `
memory: 64 MiB
nodes:
  camera:
    type: sim_detector
    params: {max_size_x: 160, max_size_y: 120, data_type: u16, color_mode: mono, acquire_time: 1 ms, acquire_period: 50 ms}
  RECORDER:
    type: xtc_recorder
    from: camera
    params: {path: ${folder}/written, create_directory: -2, file_name: e1, num_capture: 12}
  LONG:
    type: xtc_recorder
    from: camera
    params: {path: ${folder}/written, create_directory: -2, file_name: e2}
`;

let browser: Browser;
let context: BrowserContext;
let program: Program;
let page: Page;
let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'livetime-runs-')));
  await analysis();
  await writeFile(join(folder, 'trace.json'), '{"displayTimeUnit": "ns", "traceEvents": []}\n');
  await writeFile(join(folder, 'secret.json'), '{"password": "swordfish"}\n');
  [browser, program] = await Promise.all([
    startBrowser({ width: 1280, height: 800 }), startProgram(pipeline(folder), ['--no-pva', '--web-files', folder]),
  ]);
  context = browser.context;
  await withNewestPage(context);
  page = await context.newPage();
  await page.goto(`${program.url}#/runs`);
});

afterAll(async () => {
  await browser?.close();
  await program?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** An array as NumPy writes it. */
function npy(descr: string, shape: string, data: Buffer): Buffer {
  const header = `{'descr': ${descr}, 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117) + '\n';
  const begin = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length, 0]);
  return Buffer.concat([begin, Buffer.from(header), data]);
}

/** What `livetime analyze -o` leaves: a picture, a histogram, words. */
async function analysis(): Promise<void> {
  const found = join(folder, 'found');
  await mkdir(found);
  const mean = Buffer.alloc(40 * 30 * 4);
  for (let i = 0; i < 40 * 30; i++) mean.writeFloatLE(i / 2, i * 4);
  const rows = Buffer.alloc(50 * 16);
  for (let i = 0; i < 50; i++) {
    rows.writeDoubleLE(i * 10, i * 16);
    rows.writeBigUInt64LE(BigInt(i === 20 ? 900 : i), i * 16 + 8);
  }
  const results = [
    { name: 'mean', dtype: 'f32', shape: [30, 40], lowest: 0, mean: 299.75, highest: 599.5 }, { name: 'hits', rows: 50, columns: ['from', 'count'] },
    { name: 'gain', value: 1.5 },
  ];
  await writeFile(join(found, 'mean.npy'), npy("'<f4'", '(30,40,)', mean));
  await writeFile(join(found, 'hits.npy'), npy("[('from', '<f8'), ('count', '<u8')]", '(50,)', rows));
  await writeFile(join(found, 'analysis.json'), JSON.stringify({ detector: 'cam', events: 12, used: 11, results }));
}

const api = async <T>(path: string) => (await (await fetch(new URL(path, program.url))).json()) as T;
const entry = (text: string) => page.locator('.entry', { hasText: text }).first();
const address = (key: string) => new URLSearchParams(page.url().split('?')[1]).get(key);

async function violations(): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    type Found = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
    return (await (window as unknown as { axe: { run(): Promise<Found> } }).axe.run()).violations;
  });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary ?? ''}`).slice(0, 3).join(' | ')}`);
}

test('what is being written is listed with its size, and what is written becomes a run', async () => {
  await until(() => page.locator('section[aria-label=Files]').textContent()).toMatch(/e2-\S*xtc\.inprogress/);
  await until(async () => (await api<Written>('/api/v1/files')).files.find((f) => f.name.startsWith('e1-'))?.state).toBe('complete');
  await until(async () => (await api<Recorded>('/api/v1/runs')).runs.map((run) => run.name).sort().join()).toMatch(/^e1-.*,e2-/);
  await until(() => entry('e1-r0001.xtc').count()).toBe(1);
  await until(() => page.locator('.file').first().textContent()).toContain('trace.json');
  expect(await page.locator('section[aria-label=Files]').textContent()).not.toContain('secret');
});

test('a recorded run is seen event by event, and every pixel is right', async () => {
  // The list may still have the path that the file has while it is written: that leads to the finished one.
  await entry('e1-r0001.xtc').click();
  await until(() => page.locator('.head').textContent()).toContain('12 events');
  await page.waitForSelector('[data-sequence="0"]');
  await page.evaluate(() => (location.hash += '&range=0..765&zoom=1,80,60&map=viridis'));
  const path = address('file')!;
  await page.getByTestId('event').focus();
  await page.keyboard.press('ArrowRight');
  await until(() => address('event')).toBe('1');
  // The arrow keys work without a focus, too.
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await until(() => address('event')).toBe('3');
  await page.waitForSelector('[data-sequence="3"]');
  const raw = await fetch(new URL(`${pictureOf(path, DETECTOR, 3)}&as=raw`, program.url));
  const { header, pixels } = readPicture(await raw.arrayBuffer());
  expect([header.width, header.height, header.sequence]).toEqual([160, 120, 3n]);
  const style = await page.addStyleTag({ content: '.cross, .message { visibility: hidden }' });
  const table = colours('viridis');
  await until(async () => {
    const shot = decodePng(await page.getByTestId('picture').screenshot());
    const [left, top] = [Math.round(shot.width / 2 - 80), Math.round(shot.height / 2 - 60)];
    let wrong = 0;
    for (let y = 0; y < 120; y++) {
      for (let x = 0; x < 160; x++) {
        const at = ((y + top) * shot.width + x + left) * 4;
        const of = colourIndex(Number(pixels[y * 160 + x]), 0, 765, 'linear') * 4;
        if ([0, 1, 2].some((i) => shot.pixels[at + i] !== table[of + i])) wrong++;
      }
    }
    return wrong;
  }).toBe(0);
  await style.evaluate((element) => (element as Element).remove());
  const box = (await page.getByRole('application').boundingBox())!;
  await page.getByRole('application').hover({ position: { x: Math.round(box.width / 2 - 80) + 70.5, y: Math.round(box.height / 2 - 60) + 40.5 } });
  await until(() => page.getByTestId('value').textContent()).toBe(String(pixels[40 * 160 + 70]));
  await until(() => page.getByTestId('verdict').textContent()).toContain('no damage');
  await page.keyboard.press('End');
  await until(() => address('event')).toBe('11');
});

test('a link shows the same event of the same run', async () => {
  await page.evaluate(() => (location.hash = location.hash.replace(/event=\d+/, 'event=7')));
  await page.waitForSelector('[data-sequence="7"]');
  const other = await context.newPage();
  try {
    await other.goto(page.url());
    await other.waitForSelector('[data-sequence="7"]');
    expect(await other.getByTestId('event').inputValue()).toBe('7');
    expect(await other.locator('.map select').inputValue()).toBe('viridis');
  } finally {
    await other.close();
  }
});

test('a run that is being written grows on the page', async () => {
  await entry('.inprogress').click();
  await until(() => page.locator('.head').textContent()).toContain('being written');
  const events = async () => Number(await page.getByTestId('event').getAttribute('max'));
  await until(events).toBeGreaterThan(0);
  const before = await events();
  await until(events).toBeGreaterThan(before);
});

test('a run that is being renamed is asked for again until it is open', async () => {
  const run = (await api<Recorded>('/api/v1/runs')).runs.find((found) => found.name.startsWith('e1-'))!;
  const other = await context.newPage();
  let asked = 0;
  // What the server says between two names of a file.
  const message = 'its files are just getting their names, because what writes them ends: ask again';
  await other.route('**/api/v1/runs/summary**', async (route) => {
    asked += 1;
    if (asked > 1) return route.continue();
    await route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify({ error: { status: 503, message } }) });
  });
  try {
    await other.goto(`${program.url}#/runs?file=${encodeURIComponent(run.path)}`);
    await until(() => other.locator('.head').getByRole('status').textContent()).toMatch(/just getting their names.*ends\. The page asks again/);
    expect(await other.locator('.head').getByRole('alert').count()).toBe(0);
    await until(() => other.locator('.head').textContent()).toContain('12 events');
    expect(await other.locator('.head').getByRole('status').count()).toBe(0);
  } finally {
    await other.close();
  }
});

test('what an analysis found: numbers, a picture, a curve with its rows', async () => {
  await entry('found').click();
  await until(() => page.locator('.analysis').textContent()).toContain('11 of 12 events used');
  await page.getByRole('button', { name: 'Open mean' }).click();
  await page.waitForSelector('[data-sequence]');
  await until(() => page.locator('.numbers').textContent()).toContain('mean');
  await until(() => page.locator('.side').textContent()).toContain('f32 30 × 40');
  await entry('found').click();
  await page.getByRole('button', { name: 'Open hits' }).click();
  await until(() => page.getByRole('img', { name: /hits\.npy: 50 values/ }).count()).toBe(1);
  await until(() => page.getByRole('region', { name: 'Rows' }).locator('tbody tr').nth(20).textContent()).toContain('900');
});

test('a file outside of the folders is not to be had, and the page says so', async () => {
  for (const path of ['/etc/passwd', `${folder}/secret.json`, `${folder}/written/../../secret.npy`, 'relative.xtc']) {
    for (const what of ['summary', 'picture', 'download']) {
      const answer = await fetch(new URL(`/api/v1/runs/${what}?path=${encodeURIComponent(path)}`, program.url));
      expect(answer.status, `${what} ${path}`).toBe(404);
    }
  }
  await page.evaluate(() => (location.hash = '#/runs?file=/etc/shadow.h5'));
  await until(() => page.locator('.head').getByRole('alert').textContent()).toContain('no such file');
});

test.each(['dark', 'light'] as const)('no violation, %s', async (colorScheme) => {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  const run = (await api<Recorded>('/api/v1/runs')).runs.find((found) => found.name.startsWith('e1-'))!;
  const views: [string, string][] = [
    [`file=${encodeURIComponent(run.path)}`, '[data-sequence]'], [`analysis=${encodeURIComponent(`${folder}/found`)}`, '.analysis tbody tr'],
    [`file=${encodeURIComponent(`${folder}/found/hits.npy`)}`, '.rows tbody tr'], ['', '.nothing'],
  ];
  for (const [query, ready] of views) {
    await page.evaluate((hash) => (location.hash = hash), `#/runs?${query}`);
    await page.waitForSelector(ready);
    expect(await violations(), query).toEqual([]);
  }
});
