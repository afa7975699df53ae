// Runs the examples of a page as a reader would: pasted one after the other into one shell, in a folder that looks like
// the project's, against a real server.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { loadDemonstration } from '../../demo/load.ts';
import { keepDemonstration } from '../../src/cli/demonstration-files.ts';
import { writeServerFile } from '../../src/cli/server-file.ts';
import { type Block, readSource, rootPath } from '../support/markdown.ts';
import { OPERATOR_KEY, type TestServer } from '../support/server.ts';
import { curl } from './curl.ts';

/** Hands its call to this process by descriptor 3, and gets its exit code from there. */
const CURL = `#!/bin/sh
call=$(mktemp -d "$CURL_CALLS/XXXXXX")
printf '%s\\0' "$PWD" "$@" > "$call/arguments"
case " $* " in *' @- '*) cat > "$call/input" ;; esac
printf '%s\\n' "$call" >&3
read -r code <&3
cat "$call/output"
exit "$code"
`;
const MAIN = new URL('../../program/main.js', import.meta.url);
/** The part of the project that the examples use. */
const EXAMPLES = 'docs/examples';

/** The mark of a block after which the reader starts the server again, and the file that says that it was done. */
const RESTARTED = 'run, then start again';
export const RESTARTED_FILE = 'restarted';

export interface Exchange {
  readonly status: number;
  readonly text: string;
}

export interface Folder {
  /** What each block's requests were answered with; rejects when a command fails. */
  run(blocks: readonly Block[]): Promise<Exchange[][]>;
  /** What examples left behind where git would see it. */
  leftovers(): Promise<string[]>;
  remove(): Promise<void>;
}

/** With the demonstration published, as after `npm start`. */
export async function openFolder(server: TestServer): Promise<Folder> {
  const folder = await makeFolder();
  const data = join(folder.project, 'data');
  await mkdir(data);
  const options = { baseUrl: server.address, operatorKey: OPERATOR_KEY, today: new Date() };
  await keepDemonstration(data, server.address, await loadDemonstration(options));
  await writeFile(join(data, 'operator.key'), `${OPERATOR_KEY}\n`);
  await writeServerFile(data, server.address);
  return folder;
}

/** Without a data folder. */
export async function makeFolder(): Promise<Folder & { readonly project: string }> {
  const path = await mkdtemp(join(tmpdir(), 'cartulary-docs-'));
  const project = join(path, 'project');
  for (const folder of ['project/bin', 'programs', 'calls']) await mkdir(join(path, folder), { recursive: true });
  await cp(rootPath(EXAMPLES), join(project, EXAMPLES), { recursive: true });
  await writeFile(join(project, 'bin', 'cartulary.js'), `import('${MAIN.href}')`);
  const program = join(path, 'programs', 'curl');
  await writeFile(program, CURL);
  await chmod(program, 0o755);
  const before = await filesIn(project);
  // PostgreSQL's account, if root runs the tests, has to enter it.
  await chmod(path, 0o711);
  return {
    project,
    run: (blocks) => run(path, blocks),
    leftovers: async () => (await filesIn(project)).filter((file) => !before.includes(file)),
    remove: () => rm(path, { recursive: true }),
  };
}

/** Those in no folder that git ignores. */
async function filesIn(project: string): Promise<string[]> {
  const ignored = readSource('.gitignore')
    .split('\n')
    .filter((line) => line.endsWith('/'));
  const files = await readdir(project, { recursive: true });
  return files.filter((file) => !ignored.some((folder) => `${file}/`.startsWith(folder)));
}

async function run(path: string, blocks: readonly Block[]): Promise<Exchange[][]> {
  const log = join(path, 'curl.log');
  await writeFile(log, '');
  const shell = spawn('/bin/sh', ['-u', '-c', blocks.map(scriptOf).join('\n')], {
    cwd: join(path, 'project'),
    env: {
      PATH: [join(path, 'programs'), dirname(process.execPath), process.env.PATH].join(delimiter),
      CURL_CALLS: join(path, 'calls'),
      CURL_LOG: log,
      // Not the logins of the person who runs the tests.
      XDG_CONFIG_HOME: join(path, 'config'),
      XDG_CACHE_HOME: join(path, 'cache'),
    },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const problems = takeCalls(shell.stdio[3] as Duplex, log);
  const [[code], complaint] = await Promise.all([once(shell, 'close'), text(shell.stderr as Readable)]);
  if (problems.length > 0) throw problems[0];
  if (code !== 0) throw new Error(`the examples ended with ${code}: ${complaint}`);
  return (await readFile(log, 'utf8')).split(/^\n/m).slice(1).map(exchangesIn);
}

/** Runs what the shell calls `curl` for, one after the other. Returns the errors, as they come. */
function takeCalls(calls: Duplex, log: string): unknown[] {
  const problems: unknown[] = [];
  const take = async (call: string): Promise<number> => {
    const [folder = '', ...args] = (await readFile(join(call, 'arguments'), 'utf8')).split('\0').slice(0, -1);
    const input = await readFile(join(call, 'input'), 'utf8').catch(() => '');
    const { status, text, printed, exitCode } = await curl({ args, folder, input });
    await writeFile(join(call, 'output'), printed);
    await appendFile(log, `${JSON.stringify({ status, text } satisfies Exchange)}\n`);
    return exitCode;
  };
  createInterface({ input: calls }).on('line', async (call) => {
    const code = await take(call).catch((error: unknown) => {
      problems.push(error);
      return 2;
    });
    calls.write(`${code}\n`);
  });
  return problems;
}

/** A block with requests that are refused goes on after them; any other stops at the first command that fails. */
function scriptOf({ mark, text }: Block): string {
  const strictly = / [45]\d\d/.test(mark) ? 'set +e' : 'set -e';
  const wait = mark === RESTARTED ? `until [ -e data/${RESTARTED_FILE} ]; do sleep 0.1; done` : '';
  return `printf '\\n' >> "$CURL_LOG"\n${strictly}\n${text}\n${wait}\nset +e\n`;
}

const exchangesIn = (lines: string): Exchange[] =>
  lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Exchange);
