#!/usr/bin/env node
// The command `cartulary`: runs the built program in this process.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'dist', 'program', 'main.js');

if (existsSync(main)) {
  await import(pathToFileURL(main).href);
} else {
  process.stderr.write(`Cartulary is not built yet. Run \`npm run build\` in ${root} and try again.\n`);
  process.exitCode = 1;
}
