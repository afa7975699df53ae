// Runs the examples of a page as a reader would: pasted one after the other into one shell, in a folder that looks like
// the project's, against a real server.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type LoadedDemonstration, loadDemonstration } from '../../demo/load.ts';
import type { Block } from '../support/markdown.ts';
import { OPERATOR_KEY, type TestServer } from '../support/server.ts';

const CURL = fileURLToPath(new URL('./curl.js', import.meta.url));
const MAIN = new URL('../../src/main.js', import.meta.url);
/** Where the documentation says that the server is. */
const DOCUMENTED_ADDRESS = 'http://127.0.0.1:8080';

export interface Exchange {
  readonly status: number;
  readonly text: string;
}

export interface Folder {
  readonly path: string;
  readonly demonstration: LoadedDemonstration;
  /** What each block's requests were answered with; rejects when a command fails. */
  run(blocks: readonly Block[]): Promise<Exchange[][]>;
  remove(): Promise<void>;
}

/** With the demonstration published, as after `npm start`. */
export async function openFolder(server: TestServer): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'cartulary-docs-'));
  const demonstration = await loadDemonstration({
    baseUrl: server.address,
    operatorKey: OPERATOR_KEY,
    today: new Date(),
    print: () => undefined,
  });
  for (const folder of ['data', 'bin', 'programs']) await mkdir(join(path, folder));
  await writeFile(join(path, 'data', 'demonstration.json'), JSON.stringify(demonstration));
  await writeFile(join(path, 'data', 'operator.key'), `${OPERATOR_KEY}\n`);
  await writeFile(join(path, 'bin', 'cartulary.js'), `import('${MAIN.href}')`);
  const curl = join(path, 'programs', 'curl');
  await writeFile(curl, `#!/bin/sh\nexec '${process.execPath}' '${CURL}' "$@"\n`);
  await chmod(curl, 0o755);
  return {
    path,
    demonstration,
    run: (blocks) => run(path, server, blocks),
    remove: () => rm(path, { recursive: true }),
  };
}

async function run(path: string, server: TestServer, blocks: readonly Block[]): Promise<Exchange[][]> {
  const log = join(path, 'curl.log');
  await writeFile(log, '');
  const parts = blocks.map(({ text }) => `printf '\\n' >> "$CURL_LOG"\n${text}`);
  const script = parts.join('\n').replaceAll(DOCUMENTED_ADDRESS, server.address);
  const { hostname, port } = new URL(server.address);
  const shell = spawn('/bin/sh', ['-eu', '-c', script], {
    cwd: path,
    env: {
      PATH: [join(path, 'programs'), dirname(process.execPath), process.env.PATH].join(delimiter),
      CURL_LOG: log,
      CARTULARY_HOST: hostname,
      CARTULARY_PORT: port,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [[code], complaint] = await Promise.all([once(shell, 'close'), text(shell.stderr)]);
  if (code !== 0) throw new Error(`the examples ended with ${code}: ${complaint}`);
  return (await readFile(log, 'utf8')).split(/^\n/m).slice(1).map(exchangesIn);
}

const exchangesIn = (lines: string): Exchange[] =>
  lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Exchange);
