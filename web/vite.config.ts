import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

interface Modules {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** What the page imports before its first screen is there lies in one file: on a busy machine each request costs more than its bytes. */
const first = new Set([fileURLToPath(new URL('src/main.ts', import.meta.url))]);
function isFirst(id: string, modules: Modules): boolean {
  for (const known of first) for (const next of modules.getModuleInfo(known)?.importedIds ?? []) first.add(next);
  return first.has(id);
}

// Names without hashes and code that is not minified: the bundle is committed, and a review sees what changed in it.
const output = {
  entryFileNames: 'assets/[name].js',
  chunkFileNames: 'assets/[name].js',
  assetFileNames: 'assets/[name][extname]',
  comments: false,
};
const together = { codeSplitting: { groups: [{ debugName: 'page', name: (id: string, modules: Modules) => (isFirst(id, modules) ? 'page' : null) }] } };

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [svelte()],
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    minify: false,
    cssMinify: false,
    sourcemap: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rollupOptions: { output: { ...output, ...together } },
  },
  worker: { format: 'es', rollupOptions: { output } },
  // `npm run dev` shows a run that is served at LIVETIME_URL.
  server: { proxy: { '/api': { target: process.env.LIVETIME_URL ?? 'http://127.0.0.1:8090', ws: true } } },
  test: { include: ['test/**/*.test.ts'], testTimeout: 900_000, hookTimeout: 900_000, fileParallelism: false },
});
