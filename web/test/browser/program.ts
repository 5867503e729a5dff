/** The real program, and the page of `dist` in front of it. */

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext } from 'playwright-core';
import { HANG_MS } from './hang';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const DIST = here('../../dist');
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.woff2': 'font/woff2',
};

/** The program that is tested: `LIVETIME_PROGRAM`, else the one that cargo built last. */
export function programPath(): string | undefined {
  const target = process.env.CARGO_TARGET_DIR ?? here('../../../target');
  return [process.env.LIVETIME_PROGRAM, join(target, 'debug/livetime')].find((path) => path && existsSync(path));
}

export interface Program {
  /** With the token. */
  link: string;
  /** Without. */
  url: string;
  stop(): Promise<void>;
  /** Lets it die as in a power cut. */
  kill(): Promise<void>;
}

/** Runs a pipeline until the link to its page is printed. Without `secret` the run makes its own token. */
export async function startProgram(pipeline: string, args: string[] = [], secret = ''): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'livetime-run-'));
  const file = join(folder, 'pipeline.yaml');
  await writeFile(file, pipeline);
  const token = join(folder, 'token');
  if (secret) await writeFile(token, secret, { mode: 0o600 });
  const child = spawn(programPath()!, ['run', file, '--web-token-file', token, ...(args.includes('--web') ? [] : ['--web', '0']), ...args], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = new Promise<void>((done) => child.once('exit', () => done()));
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await gone;
    await rm(folder, { recursive: true, force: true });
  };
  // The log is no terminal, so the link in it has no token.
  const url = await printedUrl(child);
  const link = `${url}#t=${(await readFile(token, 'utf8')).trim()}`;
  return { link, url, stop: () => end('SIGINT'), kill: () => end('SIGKILL') };
}

function printedUrl(child: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let text = '';
    const timer = setTimeout(() => failed(new Error(`no link was printed in ${HANG_MS} ms:\n${text}`)), HANG_MS);
    child.stderr!.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const link = /the page of this run: (http:\/\/\S+)\n/.exec(text)?.[1];
      if (!link) return;
      clearTimeout(timer);
      found(link);
    });
    child.once('exit', (code) => failed(new Error(`the program ended with ${code}:\n${text}`)));
  });
}

/** Answers what is not `/api` from `dist`, with the headers of the server, so that the newest bundle is tested. */
export async function withNewestPage(context: BrowserContext): Promise<void> {
  const pathOf = (url: string | URL) => new URL(url).pathname.replace(/^\/hosts\/[^/]+\//, '/');
  await context.route((url) => pathOf(url) === '/' || pathOf(url).startsWith('/assets/'), async (route) => {
    const path = pathOf(route.request().url());
    const name = normalize(join(DIST, path === '/' ? 'index.html' : path));
    const served = await fetch(new URL('/', route.request().url())).then((answer) => answer.headers, () => null);
    if (served === null) return route.abort('connectionrefused');
    const policy = served.get('content-security-policy');
    const headers = { 'Content-Type': TYPES[extname(name)] ?? 'text/plain', ...(policy ? { 'Content-Security-Policy': policy } : {}) };
    await route.fulfill({ status: 200, headers, body: await readFile(name) });
  });
}
