// README.md, walked twice as a new user walks it: `npm start` in one terminal, and everything else pasted into another,
// with the server killed and started again where it says so.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Running, start } from '../support/command.ts';
import { blocksIn, readSource } from '../support/markdown.ts';
import { type Exchange, makeFolder, RESTARTED_FILE } from './shell.ts';

const BLOCKS = blocksIn('README.md');
const RUN = BLOCKS.filter(({ mark }) => mark.startsWith('run'));
const WALK_MS_MAX = 300_000;

describe('README.md', () => {
  let folder: Awaited<ReturnType<typeof makeFolder>>;
  let first: Running;
  let server: Running;

  /** As `npm start` does, on a port that it picks. */
  async function npmStart(env: Record<string, string> = {}): Promise<Running> {
    const options = { cwd: folder.project, env: { CARTULARY_PORT: '0', ...env }, msMax: WALK_MS_MAX };
    const running = start(['serve', '--demo'], options);
    await running.until(/^To start afresh/m);
    return running;
  }

  before(async () => {
    folder = await makeFolder();
    first = await npmStart();
    server = first;
  });
  after(async () => {
    server.child.kill('SIGTERM');
    await server.finished;
    await folder.remove();
  });

  /** Answers to all blocks, with the restart that the reader makes on the way. */
  async function walk(): Promise<Exchange[][]> {
    const restarted = join(folder.project, 'data', RESTARTED_FILE);
    await rm(restarted, { force: true });
    const restart = once(server.child, 'exit').then(async ([code, signal]) => {
      assert.deepEqual([code, signal], [null, 'SIGKILL']);
      server = await npmStart({ CARTULARY_LOG_LEVEL: 'info' });
      await writeFile(restarted, '');
    });
    const [exchanges] = await Promise.all([folder.run(RUN), restart]);
    return exchanges;
  }

  for (const time of ['first', 'second']) {
    it(`works as pasted, the ${time} time`, async () => {
      for (const [index, exchanges] of (await walk()).entries()) {
        const { mark = '', place } = RUN[index]!;
        const statuses = /^run: ([\d ]+)$/.exec(mark)?.[1] ?? '';
        const texts = exchanges.map(({ text }) => text);
        assert.equal(exchanges.map(({ status }) => status).join(' '), statuses, `${place}: ${texts.join('\n')}`);
        for (const text of texts) if (text.startsWith('[')) assert.ok(JSON.parse(text).length > 0, place);
      }
      assert.deepEqual(await folder.leftovers(), []);
    });
  }

  it('is right about what npm start prints: a curl command that works as pasted', async () => {
    const printed = server.said();
    const [command = ''] = /^ {2}curl .*\\\n.*$/m.exec(printed) ?? [];
    const block = { language: 'sh', mark: 'run: 200', place: 'npm start', text: command };
    const [[exchange] = []] = await folder.run([block]);
    assert.equal(exchange?.status, 200, printed);
  });

  it('leaves the terminal with the token calm: requests are logged there only if the setting says so', () => {
    assert.doesNotMatch(first.said(), /^\{/m);
    assert.match(server.said(), /^\{.*"msg":"request"\}$/m);
  });

  it('shows whole publish documents that are files of the project', () => {
    const documents = BLOCKS.filter(({ mark }) => mark.startsWith('publish document: '));
    assert.equal(documents.length, 1);
    for (const { mark, text } of documents) assert.equal(text, readSource(mark.replace('publish document: ', '')));
  });

  it('marks every shell command but those that begin', () => {
    const unmarked = BLOCKS.filter(({ language, mark }) => language === 'sh' && mark === '');
    assert.equal(unmarked.length, 1);
  });
});
