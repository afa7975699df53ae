// How the console is built: static files with hashed names below dist/console, which the server serves (http/routes/static.ts).

import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Nearly as small as with 11, which takes twenty times as long. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Compressed once here instead of for every browser. */
const compressed: Plugin = {
  name: 'compressed',
  generateBundle(_options, bundle) {
    for (const [fileName, file] of Object.entries(bundle)) {
      const source = file.type === 'chunk' ? file.code : file.source;
      this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotliCompressSync(source, BROTLI) });
      this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(source, { level: 9 }) });
    }
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compressed],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // The policy allows no inline data, and a file of its own is cached for good.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
});
