/** What the page costs and how soon it shows something, in a real browser beside a real run: `[SECONDS] [REPEATS] [WIDTHxHEIGHT] [FILE]`. The
 * record goes to FILE, or is printed. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CDPSession, Page } from 'playwright-core';
import { startBrowser } from './chromium.ts';
import { busyPercent, commitOf, machine, row } from './record.ts';
import { processorMs, type Used } from './processor.ts';
import { programPath, startProgram, type Program } from './program.ts';

const [seconds = 10, repeats = 5] = process.argv.slice(2, 4).map(Number);
const [width = 1600, height = 1000] = (process.argv[4] ?? '1600x1000').split('x').map(Number);
const file = process.argv[5];
const pipeline = readFileSync(fileURLToPath(new URL('../../../examples/plugins-2013.yaml', import.meta.url)), 'utf8');
/** Kept by the page itself, so that nothing is asked of it while it is measured. */
interface Kept {
  firstPicture: number;
  pictures: number;
  longest: number;
  longTasks: number;
  /** Of all long tasks together what is beyond 50 ms each, in which the page answers nobody. */
  blockedMs: number;
}
type Numbers = Record<string, number>;

function watch(): void {
  const kept: Kept = { firstPicture: 0, pictures: 0, longest: 0, longTasks: 0, blockedMs: 0 };
  (globalThis as unknown as { kept: Kept }).kept = kept;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) {
      kept.longTasks += 1;
      kept.longest = Math.max(kept.longest, task.duration);
      kept.blockedMs += task.duration - 50;
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

const share = (after: Numbers, before: Numbers, name: string, took: number) => (100 * (after[name]! - before[name]!)) / took;

let chromium = '';

async function measure(program: Program): Promise<Numbers> {
  // A profile of its own: nothing is in its cache.
  const browser = await startBrowser({ width, height });
  const page = await browser.context.newPage();
  chromium = await page.evaluate(() => /Chrome\/(\S+)/.exec(navigator.userAgent)?.[1] ?? 'unknown');
  await page.addInitScript(watch);
  await page.goto(program.link);
  await page.waitForSelector('[data-sequence]', { timeout: 60_000 });
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
  await page.waitForTimeout(2_000);
  const session = await browser.context.newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('HeapProfiler.collectGarbage');
  await page.evaluate(() => Object.assign((globalThis as unknown as { kept: Kept }).kept, { longest: 0, longTasks: 0, blockedMs: 0 }));
  const [before, seen, used, begun] = [await busy(session), await kept(page), processorMs(), performance.now()];
  await page.waitForTimeout(seconds * 1000);
  const [after, now, spent, took] = [await busy(session), await kept(page), processorMs(), (performance.now() - begun) / 1000];
  const cpu = (of: keyof Used) => (spent[of] - used[of]) / took / 10;
  await session.send('HeapProfiler.collectGarbage');
  const settled = await busy(session);
  await browser.close();
  return {
    first_paint_ms: paint,
    first_picture_ms: now.firstPicture,
    pictures_per_s: (now.pictures - seen.pictures) / took,
    page_cpu_percent: cpu('page'),
    browser_cpu_percent: cpu('browser'),
    run_cpu_percent: cpu('run'),
    main_thread_percent: share(after, before, 'TaskDuration', took),
    script_percent: share(after, before, 'ScriptDuration', took),
    layout_percent: share(after, before, 'LayoutDuration', took),
    style_percent: share(after, before, 'RecalcStyleDuration', took),
    long_tasks: now.longTasks,
    longest_task_ms: now.longest,
    blocked_ms_per_s: now.blockedMs / took,
    heap_mb: settled.JSHeapUsedSize! / 1e6,
    heap_growth_mb: (settled.JSHeapUsedSize! - before.JSHeapUsedSize!) / 1e6,
  };
}

const UNITS: Record<string, string> = {
  first_paint_ms: 'ms', first_picture_ms: 'ms', pictures_per_s: '1/s', page_cpu_percent: '% of a core', browser_cpu_percent: '% of a core', run_cpu_percent: '% of a core',
  main_thread_percent: '% of the time', script_percent: '% of the time', layout_percent: '% of the time', style_percent: '% of the time', long_tasks: 'tasks above 50 ms', longest_task_ms: 'ms', blocked_ms_per_s: 'ms/s',
  heap_mb: 'MB', heap_growth_mb: 'MB',
};

const others = [await busyPercent(2_000)];
const program = await startProgram(pipeline, ['--no-pva']);
const { version } = (await (await fetch(new URL('/api/v1/describe', program.url))).json()) as { version: string };
const all: Numbers[] = [];
for (let i = 0; i < repeats; i++) all.push(await measure(program));
await program.stop();
others.push(await busyPercent(2_000));
const record = {
  bench: 'page',
  machine: { ...machine(), chromium, node: process.versions.node, drawing: 'SwiftShader: by the processor, as no GPU is used' },
  commit: commitOf(version),
  quick: repeats < 5 || seconds < 5,
  // Before and after, when neither the program nor the browser runs.
  others_cpu_percent: others,
  repeats,
  seconds,
  window: `${width}x${height}`,
  program: programPath()?.includes('/release/') ? 'release' : 'debug',
  graph: 'examples/plugins-2013.yaml',
  rows: Object.keys(all[0]!).map((name) => row(name, UNITS[name] ?? '', all.map((one) => one[name]!))),
};
const text = `${JSON.stringify(record, null, 2)}\n`;
if (file) writeFileSync(file, text);
else process.stdout.write(text);
