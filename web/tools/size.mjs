// What the page weighs, compressed as it is served, against a budget: `npm run size`.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
// In bytes. The bundle is not minified, because a review reads it: that costs about a third.
const FIRST_LOAD = 120_000;
const LINES = 36_000;
const LATER_SCREEN = 25_000;
const ALL = 250_000;
const LATER = ['Graph', 'Plots', 'Settings', 'Ledger', 'Trigger', 'Runs'];

const files = new Map(
  readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('licence-'))
    .map((entry) => [entry.name, readFileSync(`${entry.parentPath ?? entry.path}/${entry.name}`)]),
);
// The program packs its page as small as gzip can.
const sizes = new Map([...files].map(([name, bytes]) => [name, gzipSync(bytes, { level: 9 }).length]));
const sum = (names) => [...names].reduce((all, name) => all + (sizes.get(name) ?? 0), 0);

const text = (name) => files.get(name)?.toString() ?? '';
const found = (name, pattern) => [...text(name).matchAll(pattern)].map((match) => match[1]);
/** What a script loads before it runs. */
const imports = (name) => found(name, /^\s*import\s[^;]*?["']\.\/([^"']+)["']/gm);
/** What a script loads later on: each with its styles, and scripts of its own. */
function later(name) {
  const deps = found(name, /m\.f=\[([^\]]*)\]/g).flatMap((list) => [...list.matchAll(/"\.\/([^"]+)"/g)].map((match) => match[1]));
  const calls = text(name).matchAll(/import\("\.\/([^"]+)"\)(?:,\s*__vite__mapDeps\(\[([\d,]*)\])?/g);
  return new Map([...calls].map(([, what, numbers]) => [what, [what, ...(numbers?.split(',').map((i) => deps[Number(i)]) ?? [])]]));
}
function withImports(names) {
  const all = new Set(names);
  for (const name of all) if (name.endsWith('.js')) imports(name).forEach((next) => all.add(next));
  return all;
}

// All that must be there before the first screen shows a picture. Lines over time come after it.
const page = found('index.html', /(?:src|href)="\.\/(?:assets\/)?([^"]+)"/g);
const first = withImports(['index.html', ...page, 'worker.js', 'inter.woff2']);
const lines = [...withImports([...later('page.js')].filter(([name]) => name.startsWith('Chart')).flatMap(([, names]) => names))].filter((name) => !first.has(name));

let failed = false;
function judge(what, size, budget) {
  const over = size > budget || size === 0;
  failed ||= over;
  console.log(`${over ? 'OVER ' : '     '}${what.padEnd(12)} ${(size / 1000).toFixed(1).padStart(7)} kB of ${budget / 1000} kB`);
}
judge('first load', sum(first), FIRST_LOAD);
judge('lines', sum(lines), LINES);
for (const screen of LATER) judge(screen, sum([`${screen}.js`, `${screen}.css`]), LATER_SCREEN);
judge('all', sum(sizes.keys()), ALL);
process.exitCode = failed ? 1 : 0;
