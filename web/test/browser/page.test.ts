/** The page of `dist` in a real browser against the real program. */

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { colourIndex } from '../../src/model/contrast';
import { readPicture } from '../../src/link/wire';
import { colours } from '../../src/picture/maps';
import type { NodeNow, SavedPipeline } from '../../src/link/protocol';
import { startBrowser, type Browser } from './chromium';
import { programPath, startProgram, withNewestPage, type Program } from './program';
import { decodePng } from './png';
import { until } from './until';

// Slow enough for a loaded machine; one picture a moment is enough to test.
const PIPELINE = `
memory: 64 MiB
nodes:
  camera:
    type: sim_detector
    params: {max_size_x: 320, max_size_y: 240, data_type: u16, color_mode: mono, acquire_time: 1 ms, acquire_period: 100 ms}
  ROI1:
    type: roi
    from: camera
    params: {min_x: 40, min_y: 30, size_x: 120, size_y: 90}
  STATS1: {type: statistics, from: ROI1}
  SLOW: {type: statistics, from: camera, params: {compute_statistics: true}}
  FREE: {type: roi, from: camera} # cuts nothing yet
`;

let browser: Browser;
let context: BrowserContext;
let program: Program;
let page: Page;

beforeAll(async () => {
  [browser, program] = await Promise.all([startBrowser({ width: 1280, height: 800 }), startProgram(PIPELINE, ['--no-pva'])]);
  context = browser.context;
  await withNewestPage(context);
  page = await context.newPage();
  await page.goto(program.link);
  await page.waitForSelector('[data-sequence]');
});

afterAll(async () => {
  await browser?.close();
  await program?.stop();
});

const api = async <T>(path: string, init?: RequestInit) => {
  const answer = await fetch(new URL(path, program.url), init);
  return (await answer.json()) as T;
};
const node = (name: string) => api<NodeNow>(`/api/v1/nodes/${name}`);

test('the token leaves the address and gives the right to write', async () => {
  expect(page.url()).not.toContain('t=');
  await until(() => page.locator('.who').textContent()).toContain('Control: free');
  expect(await page.locator('.state').textContent()).toContain('Running');
});

test('the program holds this very bundle', async ({ skip }) => {
  const index = await (await fetch(program.url)).text();
  skip(!index.includes('id="page"'), 'the program was built without web/dist');
  const dist = fileURLToPath(new URL('../../dist', import.meta.url));
  for (const name of ['index.html', ...readdirSync(`${dist}/assets`).map((asset) => `assets/${asset}`)]) {
    const served = await fetch(new URL(name === 'index.html' ? '/' : name, program.url));
    expect(served.status, name).toBe(200);
    expect(Buffer.from(await served.arrayBuffer()).equals(readFileSync(`${dist}/${name}`)), `${name}: build the program anew`).toBe(true);
  }
});

test('the pipeline shows every node and its lanes', async () => {
  const rows = page.locator('section[aria-label=Pipeline] tbody').first().locator('tr');
  expect(await rows.locator('th button').allTextContents()).toEqual(['camera', 'ROI1', 'STATS1', 'SLOW', 'FREE']);
  await until(async () => Number(await rows.nth(1).locator('td').first().textContent())).toBeGreaterThan(0);
});

test('the canvas shows every pixel as the colour map says', async () => {
  await page.getByRole('button', { name: 'Pause' }).click();
  await until(async () => (await node('camera')).acquiring).toBe(false);
  const look = 'view=camera.out&range=0..765&zoom=1,160,120&map=viridis';
  await page.evaluate((look) => (location.hash = `#/live?${look}`), look);
  const answer = await fetch(new URL('/api/v1/picture?from=camera.out&as=raw&wait_ms=100', program.url));
  // With this range no count falls between two colours, where 32 and 64 bits would round apart.
  // A paused source sends no next frame; the newest one is what the page holds.
  const sequence = await page.locator('[data-sequence]').getAttribute('data-sequence');
  const raw = answer.status === 200 ? await answer.arrayBuffer() : await newest();
  const { header, pixels } = readPicture(raw);
  expect([header.width, header.height, header.dtype]).toEqual([320, 240, 'u16']);
  expect(sequence).toBeTruthy();
  const style = await page.addStyleTag({ content: '.regions, .cross, .message { visibility: hidden }' });
  const table = colours('viridis');
  const wanted = (x: number, y: number) => {
    const at = colourIndex(Number(pixels[y * 320 + x]), 0, 765, 'linear') * 4;
    return [...table.slice(at, at + 3)];
  };
  const wrongPixels = async () => {
    const shot = decodePng(await page.getByTestId('picture').screenshot());
    const left = Math.round(shot.width / 2 - 160);
    const top = Math.round(shot.height / 2 - 120);
    let wrong = 0;
    for (let y = Math.max(0, -top); y < Math.min(240, shot.height - top); y++) {
      for (let x = Math.max(0, -left); x < Math.min(320, shot.width - left); x++) {
        const [r, g, b] = wanted(x, y);
        const at = ((y + top) * shot.width + x + left) * 4;
        if (shot.pixels[at] !== r || shot.pixels[at + 1] !== g || shot.pixels[at + 2] !== b) wrong++;
      }
    }
    return wrong;
  };
  // By the processor, as here WebGL has no graphics card; and the same by WebGL.
  expect(await page.locator('[data-drawing]').getAttribute('data-drawing')).toBe('plain');
  await until(wrongPixels).toBe(0);
  await page.evaluate(() => (location.hash = '#/ledger'));
  await page.waitForSelector('tfoot');
  await page.evaluate((look) => (location.hash = `#/live?${look}&drawing=webgl`), look);
  await page.waitForSelector('[data-drawing=webgl]');
  await until(wrongPixels).toBe(0);
  await style.evaluate((element) => (element as Element).remove());

  // What is under the pointer is the count itself.
  const stage = page.getByRole('application');
  const box = (await stage.boundingBox())!;
  await stage.hover({ position: { x: Math.round(box.width / 2 - 160) + 170.5, y: Math.round(box.height / 2 - 120) + 140.5 } });
  await until(() => page.getByTestId('value').textContent()).toBe(String(pixels[140 * 320 + 170]));
});

/** Of a view, which answers with the newest frame at once. */
async function newest(): Promise<ArrayBuffer> {
  const made = await api<{ url: string }>('/api/v1/views', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ from: 'camera.out' }),
  });
  for (;;) {
    const answer = await fetch(new URL(made.url, program.url));
    if (answer.status === 200) return answer.arrayBuffer();
    if (answer.status !== 204) throw new Error(await answer.text());
  }
}

test('a region that is dragged becomes four parameters of one frame', async () => {
  await page.evaluate(() => (location.hash = '#/live?node=ROI1&zoom=1,160,120'));
  const handle = page.locator('[data-region=ROI1] [data-handle=se]');
  const sent: unknown[] = [];
  page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.postDataJSON()));
  const drag = async (from: string, dx: number, dy: number) => {
    const box = (await page.locator(`[data-region=ROI1] ${from}`).boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + dx, box.y + box.height / 2 + dy, { steps: 4 });
    await page.mouse.up();
  };
  await handle.waitFor();
  await drag('.title', 24, 16);
  await drag('[data-handle=se]', -20, 10);
  await page.getByRole('button', { name: 'Apply ⏎' }).click();
  const wanted = { min_x: 64, min_y: 46, size_x: 100, size_y: 100 };
  await until(async () => (await node('ROI1')).values).toMatchObject(wanted);
  expect(sent).toEqual([{ set: wanted }]);
  await until(() => page.locator('[data-param=size_x]').inputValue()).toBe('100');
  const log = await api<{ entries: { text: string; by?: { face: string } }[] }>('/api/v1/log?since=0');
  expect(log.entries.some((entry) => entry.by?.face === 'web')).toBe(true);
});

test('what the server refuses is said at the field, and nothing acts', async () => {
  await page.locator('#node-camera').click();
  const before = (await node('camera')).values;
  await page.locator('[data-param=bin_x]').fill('0');
  await page.locator('[data-param=gain]').fill('7');
  await page.keyboard.press('Enter');
  await page.locator('[data-param=bin_x][aria-invalid=true]').waitFor();
  expect(await page.getByRole('form', { name: 'Parameters of camera' }).getByRole('alert').textContent()).toContain('0');
  expect((await node('camera')).values).toMatchObject({ bin_x: before.bin_x, gain: before.gain });
  await page.locator('[data-param=bin_x]').fill('many');
  await until(() => page.getByRole('form').getByRole('alert').textContent()).toContain('wanted a whole number');
  await page.keyboard.press('Escape');
  await until(() => page.locator('[data-param=bin_x]').inputValue()).toBe('1');
  await until(() => page.locator('[data-param=gain]').inputValue()).toBe(String(before.gain));
});

test('a region is drawn on the picture for a node that cuts nothing yet', async () => {
  await page.evaluate(() => (location.hash = '#/live?zoom=1,160,120'));
  const sent: unknown[] = [];
  const note = (request: Request) => request.method() === 'PATCH' && sent.push(request.postDataJSON());
  page.on('request', note);
  const box = (await page.getByRole('application').boundingBox())!;
  const at = (x: number, y: number) => [Math.round(box.x + box.width / 2) - 160 + x, Math.round(box.y + box.height / 2) - 120 + y] as const;
  await page.getByRole('button', { name: 'Region', exact: true }).click();
  await page.mouse.move(...at(100, 120));
  await page.mouse.down();
  await page.mouse.move(...at(120, 140), { steps: 3 });
  await page.mouse.move(...at(150, 160), { steps: 3 });
  await page.mouse.up();
  // It goes to the free one, has the focus, and Enter sends it.
  await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-region'))).toBe('FREE');
  await page.keyboard.press('Enter');
  await until(async () => (await node('FREE')).values.min_x).not.toBe(0);
  expect(sent.length).toBe(1);
  const { values } = await node('FREE');
  for (const [param, wanted] of Object.entries({ min_x: 100, min_y: 120, size_x: 50, size_y: 40 })) {
    expect(Math.abs((values[param] as number) - wanted), `${param} ${values[param] as number}`).toBeLessThanOrEqual(1);
  }

  // By keys, from the cross-hair on; nothing is free any more, so it is the chosen one.
  await page.evaluate(() => (location.hash = '#/live?node=FREE&zoom=1,160,120'));
  const stage = page.getByRole('application');
  await stage.click({ position: { x: box.width / 2 - 160 + 10.5, y: box.height / 2 - 120 + 20.5 } });
  await stage.focus();
  const [x, y] = [Number(await page.locator('.readout b').nth(0).textContent()), Number(await page.locator('.readout b').nth(1).textContent())];
  await page.keyboard.press('r');
  for (let i = 0; i < 2; i++) await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-region'))).toBe('FREE');
  await page.keyboard.press('Enter');
  await until(async () => (await node('FREE')).values).toMatchObject({ min_x: x, min_y: y, size_x: 21, size_y: 11 });
  page.off('request', note);
});

test('a line and the values along it', async () => {
  await page.evaluate(() => (location.hash = '#/live?view=camera.out&zoom=1,160,120&line=10,20,40,20'));
  await until(() => page.getByTestId('line').textContent()).toMatch(/min .* mean .* max /);
  await page.locator('[data-line-end="1"]').focus();
  await page.keyboard.press('Shift+ArrowRight');
  await until(() => page.url()).toContain('line=10%2C20%2C50%2C20');
  await page.keyboard.press('Escape');
  await until(() => page.getByTestId('line').count()).toBe(0);
});

test('a very wide picture keeps all of its rows: it is binned across alone', async () => {
  const wide = await startProgram(WIDE, ['--no-pva']);
  const other = await context.newPage();
  try {
    await other.goto(wide.link);
    await other.waitForSelector('[data-sequence]');
    await until(() => other.locator('.numbers').textContent()).toMatch(/· (?!1×)\d+×1 max/);
    const answer = await fetch(new URL('/api/v1/picture?from=camera&as=raw&fit=1024,1024&axes=own', wide.url));
    const { header } = readPicture(await answer.arrayBuffer());
    expect([header.width, header.height, header.binX, header.binY]).toEqual([1024, 64, 8, 1]);
    // All of the place is filled: a pixel of its upper and of its lower edge is one of the picture.
    const shot = decodePng(await other.getByTestId('picture').screenshot());
    const at = (x: number, y: number) => [...shot.pixels.slice(4 * (y * shot.width + x), 4 * (y * shot.width + x) + 3)].join();
    const colour = (await other.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--bg0'))).trim();
    const outside = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)).join();
    for (const y of [3, shot.height - 4]) {
      expect(Array.from({ length: 20 }, (_, i) => at(Math.floor(shot.width * (i + 0.5) / 20), y)).filter((found) => found === outside).length).toBeLessThan(15);
    }
    await other.getByRole('button', { name: 'Stretch' }).click();
    await until(() => other.locator('.numbers').textContent()).toMatch(/· (\d+)×\1 max/);
  } finally {
    await other.close();
    await wide.stop();
  }
});

const WIDE = `
nodes:
  camera:
    type: sim_detector
    params: {max_size_x: 8192, max_size_y: 64, data_type: u16, color_mode: mono, acquire_time: 1 ms, acquire_period: 100 ms}
  STATS: {type: statistics, from: camera}
`;

// Two slow links: a debug build keeps up.
const WIRES = `
memory: 512 MiB
nodes:
  apa: {type: wib_simulator, params: {links: 1, rate: 0.01, loop_time: 40.96 ms, track_rate: 2000, argon_rate: 70, faults: "drop 700"}}
  hits: {type: hit_finder, from: {node: apa, queue: 500}}
  merged: {type: hit_merger, from: hits}
  adjacency: {type: trigger_adjacency, from: merged}
  trigger: {type: trigger_candidate, from: adjacency, params: {hold_off: 20000}}
  readout:
    type: readout_buffer
    from: [{node: apa, to: raw, queue: 500}, {node: merged, to: hits, queue: 2000}, {node: trigger, to: decisions, queue: 100}]
    params: {seconds: 0.02, deadline: 5}
  ledger: {type: link_ledger, from: [apa.ledger, hits.ledger, merged.ledger, readout.ledger]}
`;

test('from trigger to trigger, with hits, and the account of each link', async () => {
  const wires = await startProgram(WIRES, ['--no-pva']);
  const other = await context.newPage();
  try {
    await other.goto(`${wires.link}`);
    await other.waitForSelector('h1');
    await other.evaluate(() => (location.hash = '#/trigger?by=trigger'));
    const trigger = async () => Number((await other.getByTestId('trigger').textContent())?.replace(/\D/g, ''));
    await until(() => other.locator('section[aria-label=Triggers] tbody tr').count()).toBeGreaterThan(2);
    await until(() => other.locator('.plane').count()).toBeGreaterThan(0);
    // The latest trigger is followed; one that was stepped to stays.
    await other.keyboard.press('p');
    await until(() => other.url()).toContain('record=');
    const chosen = other.locator('section[aria-label=Triggers] button[aria-current=true]');
    await until(async () => (await trigger()) === Number((await chosen.textContent())?.replace(/\D/g, ''))).toBe(true);
    const last = await trigger();
    await other.keyboard.press('p');
    await until(trigger).toBeLessThan(last);
    const before = await trigger();
    await other.keyboard.press('n');
    await until(trigger).toBeGreaterThan(before);
    await other.keyboard.press('e');
    await until(() => other.url()).not.toContain('record=');
    await until(() => other.locator('aside .why').first().textContent()).toContain('absent');
  } finally {
    await other.close();
    await wires.stop();
  }
});

test('everything by keyboard', async () => {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press('2');
  await until(() => page.url()).toContain('#/graph');
  await page.keyboard.press('1');
  await until(() => page.url()).toContain('#/live');
  await page.locator('#node-ROI1').focus();
  await page.keyboard.press('ArrowDown');
  await until(() => page.url()).toContain('node=STATS1');
  await page.keyboard.press('ArrowUp');
  const region = page.locator('[data-region=ROI1]');
  await region.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  await until(async () => (await node('ROI1')).values).toMatchObject({ min_x: 65, size_y: 101 });
  // Every stop of the tabulator key can be seen.
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);
  }
});

test('an input is thinned on the page, and the saved file runs again as this run stands', async () => {
  await page.evaluate(() => (location.hash = '#/graph?node=SLOW'));
  await page.getByRole('tab', { name: 'Input' }).click();
  await page.locator('[data-input=every]').fill('5');
  await page.locator('[data-input=when_full]').selectOption('drop_oldest');
  await page.locator('form[aria-label="Edge from camera.out to SLOW.in"] button[type=submit]').click();
  await until(async () => (await node('SLOW')).input).toMatchObject({ every: 5, when_full: 'drop_oldest' });

  await page.evaluate(() => (location.hash = '#/settings?settings=file'));
  await until(() => page.locator('tr.now').allTextContents().then((all) => all.join('\n'))).toContain('every: 5');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()]);
  const text = readFileSync((await download.path())!, 'utf8');
  const again = await startProgram(text, ['--no-pva']);
  try {
    const now = async (name: string) => (await (await fetch(new URL(`/api/v1/nodes/${name}`, again.url))).json()) as NodeNow;
    await until(async () => (await now('FREE')).values).toMatchObject({ size_x: 21, size_y: 11 });
    expect((await now('SLOW')).input).toMatchObject({ every: 5, when_full: 'drop_oldest' });
    const saved = (await (await fetch(new URL('/api/v1/pipeline', again.url))).json()) as SavedPipeline;
    expect(saved).toMatchObject({ now: text, differences: [], problem: null });
  } finally {
    await again.stop();
  }
});

test('a loss is shown at once, with place and reason', async () => {
  const link = await startProgram(LOSSY, ['--no-pva']);
  const lossy = await context.newPage();
  try {
    await lossy.goto(link.link);
    await until(() => lossy.locator('.figures').textContent()).toMatch(/[1-9]\S* lost/);
    await until(() => lossy.locator('.figures').textContent()).toMatch(/losing now: queue full on camera.out -> WORK.in, (just now|\d+ s ago)/);
    expect(await lossy.locator('.figures b.warn').count()).toBe(1);
    expect(await lossy.locator('circle.lost').count()).toBeGreaterThan(0);
  } finally {
    await lossy.close();
    await link.stop();
  }
});

// A queue of one and a filter that takes longer than a frame: something is lost soon on any machine.
const LOSSY = `
nodes:
  camera:
    type: sim_detector
    params: {max_size_x: 1024, max_size_y: 1024, data_type: u8, color_mode: mono, acquire_time: 1 ms, acquire_period: 10 ms}
  WORK: {type: process, from: {node: camera, queue: 1}, params: {enable_filter: true, num_filter: 100}}
`;

test('when the server is gone the page says so, and comes back with the next one', async () => {
  const first = await startProgram(PIPELINE, ['--no-pva']);
  const { port } = new URL(first.url);
  const other = await context.newPage();
  await other.goto(first.link);
  await other.waitForSelector('[data-sequence]');
  await first.kill();
  await until(() => other.locator('.state').textContent()).toContain('No connection');
  expect(await other.locator('main').getAttribute('class')).toContain('gone');
  expect(await other.locator('.state').textContent()).toMatch(/since \d\d:\d\d:\d\d/);
  const second = await startProgram(PIPELINE, ['--no-pva', '--web', port]);
  try {
    expect(new URL(second.url).port).toBe(port);
    await until(() => other.locator('.state').textContent()).toContain('Running');
    expect(await other.locator('main').getAttribute('class')).not.toContain('gone');
    const sequence = await other.locator('[data-sequence]').getAttribute('data-sequence');
    await until(() => other.locator('[data-sequence]').getAttribute('data-sequence')).not.toBe(sequence);
  } finally {
    await other.close();
    await second.stop();
  }
});

test('PVs show what the page has set', async () => {
  const served = await startProgram(PIPELINE, ['--set', 'camera.acquire_period=500ms']);
  const other = await context.newPage();
  try {
    await other.goto(served.link);
    const prefix = (await (await fetch(new URL('/api/v1/describe', served.url))).json() as { run: { pv_prefix: string | null } }).run.pv_prefix;
    if (prefix === null) return;
    await other.locator('#node-ROI1').click();
    await other.locator('[data-param=min_x]').fill('17');
    await other.keyboard.press('Enter');
    await until(async () => (await promisify(execFile)(programPath()!, ['pv', 'get', `${prefix}ROI1:MinX_RBV`])).stdout).toContain('17');
  } finally {
    await other.close();
    await served.stop();
  }
});
