// `npm run test`: types, unit tests, the freshness and size of the bundle, and the page in a browser. Without Chromium or the program
// the tests that need them are left out loudly, and the end is code 77.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const MISSING = 77;
// As it is now: loading a file below sets NODE_ENV, and the bundle would be built for development.
const env = { ...process.env };
const cwd = fileURLToPath(new URL('..', import.meta.url));
const { module: chromium } = await runnerImport(`${cwd}/test/browser/chromium.ts`, { configFile: false, root: cwd });
const { module: program } = await runnerImport(`${cwd}/test/browser/program.ts`, { configFile: false, root: cwd });
const missing = [
  chromium.chromiumPath() ? '' : 'no Chromium: install it, or set CHROMIUM to its path',
  program.programPath() ? '' : 'no program: `cargo build --package livetime`, or set LIVETIME_PROGRAM to its path',
].filter(Boolean);

function run(name, ...args) {
  console.log(`\n--- ${name}`);
  const { status } = spawnSync(process.execPath, args, { cwd, env, stdio: 'inherit' });
  if (status !== 0) failed.push(name);
}

const failed = [];
run('types', 'node_modules/svelte-check/bin/svelte-check', '--tsconfig', 'tsconfig.json', '--fail-on-warnings');
run('the bundle is fresh', 'tools/check-dist.mjs');
run('size', 'tools/size.mjs');
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=verbose'];
run('functions', ...vitest, 'test/unit');
// A test that fails beside busy processes is repeated once, and named (docs/decisions/015-unsteady-tests.md). After three failures the
// rest is left out: tests of a file build on each other, and each that hangs takes minutes.
if (missing.length === 0) run('the page in a browser', ...vitest, '--reporter=./tools/unsteady.mjs', '--retry=1', '--bail=3', 'test/browser');
for (const what of missing) console.error(`\nSKIPPED: the page in a browser: ${what}`);
if (failed.length > 0) console.error(`\nfailed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : missing.length > 0 ? MISSING : 0;
