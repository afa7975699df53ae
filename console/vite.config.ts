// How the console is built: static files with hashed names below dist/console-files, which the server serves
// (http/routes/static.ts).

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build, defineConfig, type Plugin } from 'vite';
import { DOCUMENT_VALIDATION } from '../src/domain/definition/schema-findings.ts';
import { publishDocumentSchema } from '../src/wire/publish-document.ts';

/** Nearly as small as with 11, which takes twenty times as long. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Compressed once here instead of for every browser, when the files are as they will be. */
const compressed: Plugin = {
  name: 'compressed',
  writeBundle({ dir = '' }, bundle) {
    for (const name of Object.keys(bundle)) {
      const file = join(dir, name);
      const bytes = readFileSync(file);
      writeFileSync(`${file}.br`, brotliCompressSync(bytes, BROTLI));
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
};

/** Ajv makes its validators with `new Function`, which the console's policy forbids: this one is made beforehand. */
const documentValidator: Plugin = {
  name: 'document-validator',
  resolveId: (id) => (id === 'virtual:document-validator' ? `\0${id}` : undefined),
  load(id) {
    if (id !== '\0virtual:document-validator') return undefined;
    const ajv = new Ajv2020({ ...DOCUMENT_VALIDATION, validateSchema: false, code: { source: true, esm: true } });
    const code = standaloneCode(ajv, ajv.compile(publishDocumentSchema));
    // What it needs from Ajv is required even where modules are asked for.
    let imports = '';
    const body = code.replaceAll(/require\("([^"]+)"\)\.default/g, (_, module: string) => {
      const name = module.replaceAll(/\W/g, '_');
      imports += `import ${name} from '${module}.js';\n`;
      return `(${name}.default ?? ${name})`;
    });
    return imports + body;
  },
};

const TARGET = 'es2023';

/**
 * A service worker is one file, which shares none with the pages. Browsers ask for it by the same name again and again, to
 * see whether it has changed.
 */
const notificationsWorker: Plugin = {
  name: 'notifications-worker',
  apply: 'build',
  async generateBundle() {
    const built = await build({
      configFile: false,
      logLevel: 'warn',
      build: {
        write: false,
        target: TARGET,
        rolldownOptions: { input: join(import.meta.dirname, 'src/notifications/worker.ts') },
      },
    });
    if (!('output' in built)) throw new TypeError('The notifications worker was not built.');
    const [{ code }] = built.output;
    this.emitFile({ type: 'asset', fileName: 'notifications-worker.js', source: code });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), documentValidator, notificationsWorker, compressed],
  resolve: {
    alias: {
      // Its streams are Node's; this build brings its own.
      'csv-parse': 'csv-parse/browser/esm',
      // The rules of value types come along with those of definitions. Only storing values needs digests.
      'node:crypto': join(import.meta.dirname, 'src/design/no-digests.ts'),
    },
  },
  worker: { format: 'es' },
  build: {
    outDir: '../dist/console-files',
    emptyOutDir: true,
    target: TARGET,
    // The policy allows no inline data, and a file of its own is cached for good.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The viewer of the reference is one file.
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: {
      checks: { bundlerTimings: false, pluginTimings: false },
      input: {
        index: join(import.meta.dirname, 'index.html'),
        docs: join(import.meta.dirname, 'docs.html'),
      },
      output: {
        // What the first page needs is one file: the build would give everything that later pages share a file of its own.
        codeSplitting: { groups: [{ name: 'first', tags: ['$initial'], includeDependenciesRecursively: false }] },
        strictExecutionOrder: true,
      },
    },
  },
});
