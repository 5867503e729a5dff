// Runs a TypeScript file: `node tools/run.mjs FILE [ARGUMENTS]`. Node 20 reads none by itself; vite is here anyway.
import { resolve } from 'node:path';
import { runnerImport } from 'vite';

const file = resolve(process.argv[2]);
process.argv.splice(1, 2, file);
await runnerImport(file, { configFile: false, root: process.cwd(), logLevel: 'error' });
