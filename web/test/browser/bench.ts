/** What the page costs and how soon it shows something, in a real browser beside a real run: `[SECONDS] [REPEATS] [WIDTHxHEIGHT]`, printed as JSON. */

import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { CDPSession, Page } from 'playwright-core';
import { startBrowser } from './chromium.ts';
import { startProgram, type Program } from './program.ts';

const [seconds = 10, repeats = 5] = process.argv.slice(2, 4).map(Number);
const [width = 1600, height = 1000] = (process.argv[4] ?? '1600x1000').split('x').map(Number);
const pipeline = readFileSync(fileURLToPath(new URL('../../../examples/plugins-2013.yaml', import.meta.url)), 'utf8');
/** Kept by the page itself, so that nothing is asked of it while it is measured. */
interface Kept {
  firstPicture: number;
  pictures: number;
  longest: number;
  longTasks: number;
}
type Numbers = Record<string, number>;

function watch(): void {
  const kept: Kept = { firstPicture: 0, pictures: 0, longest: 0, longTasks: 0 };
  (globalThis as unknown as { kept: Kept }).kept = kept;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) {
      kept.longTasks += 1;
      kept.longest = Math.max(kept.longest, task.duration);
    }
  }).observe({ type: 'longtask', buffered: true });
  new MutationObserver((changes) => {
    if (!changes.some((change) => (change.target as Element).hasAttribute?.('data-sequence'))) return;
    kept.firstPicture ||= performance.now();
    kept.pictures += 1;
  }).observe(document, { attributes: true, attributeFilter: ['data-sequence'], childList: true, subtree: true });
}

async function busy(session: CDPSession): Promise<Numbers> {
  const { metrics } = (await session.send('Performance.getMetrics')) as { metrics: { name: string; value: number }[] };
  return Object.fromEntries(metrics.map((metric) => [metric.name, metric.value]));
}

const kept = (page: Page) => page.evaluate(() => ({ ...(globalThis as unknown as { kept: Kept }).kept }));

async function measure(program: Program): Promise<Numbers> {
  // A profile of its own: nothing is in its cache.
  const browser = await startBrowser({ width, height });
  const page = await browser.context.newPage();
  await page.addInitScript(watch);
  await page.goto(program.link);
  await page.waitForSelector('[data-sequence]', { timeout: 60_000 });
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
  await page.waitForTimeout(2_000);
  const session = await browser.context.newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('HeapProfiler.collectGarbage');
  await page.evaluate(() => Object.assign((globalThis as unknown as { kept: Kept }).kept, { longest: 0, longTasks: 0 }));
  const [before, seen, begun] = [await busy(session), await kept(page), performance.now()];
  await page.waitForTimeout(seconds * 1000);
  const [after, now, took] = [await busy(session), await kept(page), (performance.now() - begun) / 1000];
  await session.send('HeapProfiler.collectGarbage');
  const settled = await busy(session);
  await browser.close();
  return {
    first_paint_ms: paint,
    first_picture_ms: now.firstPicture,
    pictures_per_s: (now.pictures - seen.pictures) / took,
    main_thread_percent: (100 * (after.TaskDuration! - before.TaskDuration!)) / took,
    long_tasks: now.longTasks,
    longest_task_ms: now.longest,
    heap_mb: settled.JSHeapUsedSize! / 1e6,
    heap_growth_mb: (settled.JSHeapUsedSize! - before.JSHeapUsedSize!) / 1e6,
  };
}

const program = await startProgram(pipeline, ['--no-pva']);
const all: Numbers[] = [];
for (let i = 0; i < repeats; i++) all.push(await measure(program));
await program.stop();
const rows = Object.keys(all[0]!).map((name) => {
  const values = all.map((one) => Math.round(one[name]! * 100) / 100).sort((a, b) => a - b);
  return { name, median: values[Math.floor(values.length / 2)], min: values[0], max: values.at(-1) };
});
console.log(JSON.stringify({ seconds, repeats, window: `${width}x${height}`, cores: cpus().length, cpu: cpus()[0]?.model, load: loadavg()[0], rows }, null, 2));
