// Builds anew and compares with the committed `dist`: a bundle that is older than its sources is an error.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
// Names of styles hold the path from where the build runs.
process.chdir(root);
const fresh = await mkdtemp(join(tmpdir(), 'livetime-dist-'));
try {
  await build({ root, logLevel: 'warn', build: { outDir: fresh } });
  const [wanted, found] = await Promise.all([contents(fresh), contents(join(root, 'dist'))]);
  const names = [...new Set([...wanted.keys(), ...found.keys()])].sort();
  const stale = names.filter((name) => !wanted.get(name)?.equals(found.get(name) ?? Buffer.alloc(0)) && wanted.get(name) !== found.get(name));
  for (const name of stale) console.error(`web/dist/${name} is not what its sources make: run \`npm run build\` in web/`);
  process.exitCode = stale.length > 0 ? 1 : 0;
  if (stale.length === 0) console.log(`web/dist is fresh: ${names.length} files`);
} finally {
  await rm(fresh, { recursive: true, force: true });
}

async function contents(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return new Map(await Promise.all(files.map(async (file) => [file.slice(folder.length + 1), await readFile(file)])));
}
