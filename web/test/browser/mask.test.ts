/** A mask drawn on the page: it meets the pixels that it was drawn on, and its files are what nodes read. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Download, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPicture } from '../../src/link/wire';
import type { NodeNow } from '../../src/link/protocol';
import { startBrowser, type Browser } from './chromium';
import { startProgram, withNewestPage, type Program } from './program';
import { until } from './until';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** No pixel of the camera is 0. The region is cut, binned across and upside down, and so is what is drawn on it. */
const CAMERA = `
memory: 64 MiB
nodes:
  camera:
    type: sim_detector
    params: {max_size_x: 320, max_size_y: 240, data_type: u16, color_mode: mono, acquire_time: 1 ms, acquire_period: 100 ms, offset: 1000}
`;
const PIPELINE = `${CAMERA}
  PART: {type: roi, from: camera, params: {min_x: 40, min_y: 30, size_x: 120, size_y: 90, bin_x: 2, reverse_y: true}}
  BAD: {type: bad_pixels, from: camera}
  TURNED: {type: transform, from: camera, params: {operation: rot90}}
  MIRRORED: {type: transform, from: camera, params: {operation: mirror}}
`;

let browser: Browser;
let program: Program;
let page: Page;

beforeAll(async () => {
  [browser, program] = await Promise.all([startBrowser({ width: 1400, height: 900 }), startProgram(PIPELINE, ['--no-pva'])]);
  await withNewestPage(browser.context);
  page = await browser.context.newPage();
  await page.goto(program.link);
  await page.waitForSelector('[data-sequence]');
});

afterAll(async () => {
  await browser?.close();
  await program?.stop();
});

const nodeOf = async (of: Program, name: string) => (await (await fetch(new URL(`/api/v1/nodes/${name}`, of.url))).json()) as NodeNow;
const node = (name: string) => nodeOf(program, name);
const go = (hash: string) => page.evaluate((to) => (location.hash = to), hash);
const layer = () => page.getByTestId('mask');
const tools = () => page.getByRole('group', { name: 'Mask of bad pixels' });

/** Detector pixels that are 0 in the next frame behind the node, as `x,y`. */
async function zeros(from: string): Promise<string[]> {
  const answer = await fetch(new URL(`/api/v1/picture?from=${from}&as=raw&wait_ms=10000`, program.url));
  const { header, pixels } = readPicture(await answer.arrayBuffer());
  return Array.from(pixels as Uint16Array).flatMap((value, i) => (value === 0 ? [`${i % header.width},${Math.floor(i / header.width)}`] : []));
}

const block = (x: number, y: number, width: number, height: number) =>
  Array.from({ length: width * height }, (_, i) => `${x + (i % width)},${y + Math.floor(i / width)}`);

/** Where on the screen the middle of a pixel of the picture is; the picture is shown four times as large. */
async function at(x: number, y: number): Promise<[number, number]> {
  const box = (await layer().boundingBox())!;
  return [box.x + box.width / 2 + (x + 0.5 - 30) * 4, box.y + box.height / 2 + (y + 0.5 - 45) * 4];
}

async function drag(from: [number, number], to: [number, number]): Promise<void> {
  await page.mouse.move(...(await at(...from)));
  await page.mouse.down();
  await page.mouse.move(...(await at(...to)), { steps: 4 });
  await page.mouse.up();
}

test('a rectangle on a part that is binned and upside down meets its detector pixels', async () => {
  await go('#/live?view=PART.out&zoom=4,30,45');
  await until(() => page.locator('.size').textContent()).toContain('60 × 90');
  await page.getByRole('button', { name: 'Mask', exact: true }).click();
  await layer().waitFor();
  await drag([10, 20], [14, 29]);
  // Five columns of two, ten rows counted from the last one.
  await until(() => page.getByTestId('mask-count').textContent()).toBe('100 bad of 320 × 240, camera');
  expect((await node('BAD')).values.listed).toBe(0);
  await tools().getByRole('button', { name: 'Apply to BAD' }).click();
  await until(async () => (await node('BAD')).values.repaired).toBe(100);
  await until(async () => (await zeros('BAD.out')).sort()).toEqual(block(60, 90, 10, 10).sort());
  const log = (await (await fetch(new URL('/api/v1/log?since=0', program.url))).json()) as { entries: { node: string; text: string; by?: { face: string } }[] };
  const entry = log.entries.find(({ node, text }) => node === 'BAD' && text.startsWith('file_name = '));
  expect(entry?.by?.face).toBe('web');
});

test('a shape is kept that is drawn before the tools have come, or while values of nodes come', async () => {
  const other = await browser.context.newPage();
  let [messages, give] = [0, () => {}];
  const isDrawn = new Promise<void>((done) => (give = done));
  other.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => (messages += Number(typeof payload === 'string'))));
  await other.route(/MaskTools\.js$/, (route) => isDrawn.then(() => route.fallback()));
  const show = async (output: string) => {
    await other.evaluate((to) => (location.hash = to), `#/live?view=${output}&zoom=1,160,120`);
    await until(() => other.getByRole('application', { name: `Picture of ${output}: 320 by 240` }).count()).toBe(1);
  };
  const over = other.getByTestId('mask');
  /** Ten columns of five rows, the first one this far below the middle. */
  const draw = async (down: number, during: () => Promise<void>) => {
    await over.waitFor();
    const box = (await over.boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2 + down];
    await other.mouse.move(x + 0.5, y + 0.5);
    await other.mouse.down();
    await other.mouse.move(x + 9.5, y + 4.5, { steps: 4 });
    await during();
    await other.mouse.up();
  };
  await other.goto(program.link);
  await other.waitForSelector('[data-sequence]');
  await show('camera.out');
  await other.getByRole('button', { name: 'Mask', exact: true }).click();
  await draw(0, async () => {});
  give();
  await until(() => other.getByTestId('mask-count').textContent()).toBe('50 bad of 320 × 240, camera');
  await show('MIRRORED.out');
  await draw(20, async () => {
    const before = messages;
    await until(() => messages).toBeGreaterThan(before + 3);
  });
  await until(() => other.getByTestId('mask-count').textContent()).toBe('100 bad of 320 × 240, camera');
  await other.close();
});

test('a brush takes away again, undo brings back, and another picture shows the same mask', async () => {
  await tools().getByRole('button', { name: 'Remove' }).click();
  await tools().getByRole('button', { name: 'Brush' }).click();
  await page.getByLabel('Width of the brush in pixels').fill('1');
  await drag([10, 20], [14, 20]);
  await until(() => page.getByTestId('mask-count').textContent()).toContain('90 bad of');
  await page.keyboard.press('Control+z');
  await until(() => page.getByTestId('mask-count').textContent()).toContain('100 bad of');
  await page.keyboard.press('Control+y');
  await until(() => page.getByTestId('mask-count').textContent()).toContain('90 bad of');
  await go('#/live?view=camera.out&zoom=1,160,120');
  await until(() => page.locator('.size').textContent()).toContain('320 × 240');
  // The first row of the part is the last one of the detector's.
  await until(() => layer().locator('path.mask').getAttribute('d')).toBe('M60 90h10v9h-10z');
});

test('by keys alone, and axe finds nothing', async () => {
  await tools().getByRole('button', { name: 'Clear' }).click();
  await tools().getByRole('button', { name: 'Add' }).click();
  await tools().getByRole('button', { name: 'Rectangle' }).click();
  await page.getByRole('button', { name: 'Mask', exact: true }).click();
  const stage = page.getByRole('application');
  await stage.click({ position: { x: (await stage.boundingBox())!.width / 2 - 160 + 20.5, y: (await stage.boundingBox())!.height / 2 - 120 + 30.5 } });
  await stage.focus();
  await page.keyboard.press('m');
  await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-testid'))).toBe('mask');
  const [x, y] = [Number(await page.locator('.readout b').nth(0).textContent()), Number(await page.locator('.readout b').nth(1).textContent())];
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowRight');
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await until(() => page.getByTestId('mask-count').textContent()).toContain('44 bad of');
  await tools().getByRole('button', { name: 'Replace the 100 of BAD' }).click();
  await until(async () => (await node('BAD')).values.repaired).toBe(44);
  await until(async () => (await zeros('BAD.out')).sort()).toEqual(block(x, y, 11, 4).sort());
  await page.evaluate(AXE);
  const found = await page.evaluate(async () =>
    (await (window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }).axe.run()).violations);
  expect(found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)).toEqual([]);
  // Esc leaves drawing.
  await layer().focus();
  await page.keyboard.press('Escape');
  await until(() => layer().count()).toBe(0);
  await page.keyboard.press('m');
});

test('the files are what bad_pixels and corrections read', async () => {
  const save = async (name: string): Promise<string> => {
    const [saved] = await Promise.all<Download | void>([page.waitForEvent('download'), tools().getByRole('button', { name }).click()]);
    return (await (saved as Download).path())!;
  };
  const [list, array] = [await save('List .json'), await save('Mask .npy')];
  const other = await startProgram(`${CAMERA}
  BAD: {type: bad_pixels, from: camera, params: {file_name: '${list}'}}
  FIXED: {type: corrections, from: camera, params: {mask: '${array}'}}
`, ['--no-pva']);
  try {
    await until(async () => (await nodeOf(other, 'BAD')).values.repaired).toBe(44);
    expect((await nodeOf(other, 'BAD')).values.listed).toBe(44);
    await until(async () => (await nodeOf(other, 'FIXED')).values.bad_pixels).toBe(44);
    const answer = await fetch(new URL('/api/v1/picture?from=FIXED.out&as=raw&wait_ms=10000', other.url));
    const { header, pixels } = readPicture(await answer.arrayBuffer());
    const dark = Array.from(pixels as Float32Array).flatMap((value, i) => (value === 0 ? [i] : []));
    expect(dark.length).toBe(44);
    expect(dark.every((i) => Math.floor(i / header.width) < 240)).toBe(true);
  } finally {
    await other.stop();
  }
});

test('a picture whose pixels are none of the detector says so, and who may not write cannot apply', async () => {
  await go('#/live?view=TURNED.out');
  await until(() => tools().textContent()).toContain('TURNED (transform) makes columns of rows');
  expect(await layer().count()).toBe(0);
  const reader = await browser.context.browser()?.newContext();
  const other = reader ? await reader.newPage() : null;
  if (!other) return;
  await withNewestPage(reader!);
  await other.goto(`${program.url}#/live?view=camera.out`);
  await other.waitForSelector('[data-sequence]');
  await other.getByRole('button', { name: 'Mask', exact: true }).click();
  const apply = other.getByRole('group', { name: 'Mask of bad pixels' }).getByRole('button', { name: /BAD/ });
  await apply.waitFor();
  expect(await apply.isDisabled()).toBe(true);
  expect(await apply.getAttribute('title')).toContain('open the link with the token');
  await reader!.close();
});
