/** Screenshots for people to look at, of all screens or of some with what is chosen there: `URL FOLDER [WIDTHxHEIGHT] [live,trigger?by=trigger]`. */

import { mkdir } from 'node:fs/promises';
import { SCREENS } from '../../src/model/address.ts';
import { startBrowser } from './chromium.ts';
import { withNewestPage } from './program.ts';

const [url = '', folder = 'test/out', size = '1920x1200', only = ''] = process.argv.slice(2);
const [width = 1920, height = 1200] = size.split('x').map(Number);
await mkdir(folder, { recursive: true });
const browser = await startBrowser({ width, height });
if (url.includes('#t=')) await withNewestPage(browser.context);
const page = await browser.context.newPage();
page.on('console', (message) => message.type() === 'error' && console.log('console:', message.text()));
page.on('pageerror', (error) => console.log('page:', error.message));
await page.goto(url);
await page.waitForSelector('[data-sequence]', { timeout: 20_000 }).catch(() => console.log('no picture'));
for (const theme of ['dark', 'light'] as const) {
  await page.emulateMedia({ colorScheme: theme });
  for (const screen of only ? only.split(',') : SCREENS) {
    await page.evaluate((hash) => (location.hash = hash), `#/${screen}`);
    await page.waitForTimeout(2_500);
    await page.screenshot({ path: `${folder}/${screen.replace(/\W+/g, '_')}-${theme}.png` });
  }
}
await browser.close();
