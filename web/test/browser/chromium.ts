/** Starts the browser of this machine as the tests need it: headless, quiet, with WebGL2 drawn by software. */

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext } from 'playwright-core';
import { HANG_MS } from './hang';

const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const chromiumPath = () => PLACES.find((path) => path !== undefined && existsSync(path));

const ARGS = [
  '--no-sandbox', '--enable-unsafe-swiftshader',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run',
  // The page's files are answered by the test, which makes them look as if they came from another network than the server's answers.
  '--disable-features=LocalNetworkAccessChecks', '--disable-default-apps', '--disable-extensions', '--metrics-recording-only', '--force-color-profile=srgb',
];

export interface Browser {
  context: BrowserContext;
  close(): Promise<void>;
}

/** A browser with an empty profile, which is removed with it. */
export async function startBrowser(viewport = { width: 1600, height: 1000 }): Promise<Browser> {
  const executablePath = chromiumPath();
  if (!executablePath) throw new Error('no Chromium');
  const profile = await mkdtemp(join(tmpdir(), 'livetime-page-'));
  const context = await chromium.launchPersistentContext(profile, { executablePath, headless: true, args: ARGS, viewport });
  context.setDefaultTimeout(HANG_MS);
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  };
  return { context, close };
}
