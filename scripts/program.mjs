// @ts-check
// Makes few files of the compiled server and commands, dist/program: with a file for each of four hundred modules,
// finding and reading them took longer than half of the time that a command takes in all.

import { join, relative, sep } from 'node:path';
import { build } from 'vite';
import { ROOT } from './prepare.mjs';

const PROGRAM = join(ROOT, 'dist', 'program');

await build({
  root: ROOT,
  configFile: false,
  logLevel: 'warn',
  plugins: [
    {
      // What a module finds beside itself, such as the migrations, it finds from where it was compiled to.
      name: 'places-of-modules',
      transform(code, id) {
        const place = relative(PROGRAM, id).split(sep).join('/');
        return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
      },
    },
  ],
  build: {
    ssr: true,
    target: 'node20',
    minify: false,
    outDir: PROGRAM,
    // A command that starts meanwhile finds each file, old or new.
    emptyOutDir: false,
    copyPublicDir: false,
    rollupOptions: {
      input: join(ROOT, 'dist', 'src', 'main.js'),
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
});
