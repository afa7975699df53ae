// Disks that are full, and names that are no files: a sentence, nothing left of an unfinished file, and nothing replaced
// that is no file. An import whose journal could not be written goes on when there is room.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { type FileJournal, openJournal } from '../../../src/cli/moving/import/journal.ts';
import { string } from '../../support/application.ts';
import { assertPlain, run } from '../../support/command.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { makeScene, operatorEnvironment, type Scene } from './moving-scene.ts';

const shell = promisify(execFile);
const COLUMNS = [
  { name: 'Code', type: 'String' },
  { name: 'Paper', type: 'Attachment' },
];

describe('a place that cannot be written', () => {
  let server: TestServer;
  let scene: Scene;
  let folder: string;
  let small: string;
  let isSmall: boolean;

  before(async () => {
    server = await startTestServer();
    scene = await makeScene(
      server,
      ['Texts', 'Papers', 'Imported'].map((name) => ({ name, columns: COLUMNS })),
    );
    folder = await mkdtemp(join(tmpdir(), 'ct-places-'));
    small = join(folder, 'small');
    await mkdir(small);
    const mounted = shell('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small]);
    isSmall = await mounted.then(
      () => true,
      () => false,
    );
    // Nothing of it can be compressed much.
    const text = () => Array.from({ length: 900 }, () => Math.random().toString(36).slice(2)).join('');
    const { id = '', Code = '' } = scene.app.ids.Texts ?? {};
    const json = Array.from({ length: 20 }, () => ({ values: { [Code]: string(text()) } }));
    const { status } = await scene.app.send('POST', `/collections/${id}/records`, { json });
    assert.equal(status, 200);
  });
  after(async () => {
    if (isSmall) await shell('umount', [small]);
    await rm(folder, { recursive: true, force: true });
    await server.close();
  });

  const cartulary = (...args: string[]) => scene.cartulary(args, { cwd: folder });
  const operate = (...args: string[]) => run(args, { cwd: folder, env: operatorEnvironment(server, folder) });
  const skipped = (t: TestContext) => {
    if (!isSmall) t.skip('a small file system cannot be mounted here');
    return !isSmall;
  };

  it('ends an export with a sentence when the disk is full, and leaves nothing', async (t) => {
    if (skipped(t)) return;
    for (const format of ['csv', 'xlsx', 'jsonl']) {
      const file = `small/texts.${format}`;
      assertPlain(
        await cartulary('export', 'Texts', file),
        new RegExp(`^Cannot write ${file}: the disk is full\\.$`, 'm'),
      );
      assert.deepEqual(await readdir(small), []);
    }
    await writeFile(join(folder, 'paper.txt'), 'x'.repeat(200_000));
    await scene.good(['records', 'create', 'Papers', 'Code=1', 'Paper=@paper.txt'], { cwd: folder });
    assertPlain(
      await cartulary('export', 'Papers', 'small/papers.csv'),
      /^Cannot write .*paper\.txt: the disk is full\.$/m,
    );
    const left = await readdir(small, { recursive: true, withFileTypes: true });
    assert.deepEqual(
      left.filter((entry) => entry.isFile()),
      [],
    );
    await rm(join(small, 'papers-files'), { recursive: true });
  });

  it('ends an import before anything is sent that could not be noted, and goes on later', async (t) => {
    if (skipped(t)) return;
    await writeFile(join(small, 'rows.csv'), 'Code\nA\nB\n');
    await writeFile(join(small, 'fill'), 'x'.repeat(60_000)).catch(() => undefined);
    const words = ['import', 'small/rows.csv', 'Imported'];
    assertPlain(
      await cartulary(...words),
      /^Cannot write small\/rows\.csv\.\w+\.import, .*: the disk is full\. Afterwards run/m,
    );
    await rm(join(small, 'fill'));
    await scene.good(words, { cwd: folder });
    assert.equal((await scene.all('Imported')).length, 2);
  });

  it('names a folder that is not there', async () => {
    assertPlain(
      await cartulary('export', 'Texts', 'none/texts.csv'),
      /^Cannot write none\/texts\.csv: its folder does not/m,
    );
  });

  it('replaces neither devices nor pipes, and what a link leads to instead of the link', async () => {
    await shell('mkfifo', [join(folder, 'pipe')]);
    const refused = /^pipe is a device or a pipe and is not replaced by a file/m;
    assertPlain(await cartulary('export', 'Texts', 'pipe', '--format', 'csv', '--force'), refused);
    assertPlain(await operate('backup', 'pipe', '--force'), refused);
    assert.ok((await stat(join(folder, 'pipe'))).isFIFO());
    assert.deepEqual(
      (await readdir(folder)).filter((name) => /\.part/.test(name)),
      [],
    );
    await writeFile(join(folder, 'behind.csv'), 'old');
    await symlink('behind.csv', join(folder, 'link.csv'));
    await scene.good(['export', 'Texts', 'link.csv', '--force'], { cwd: folder });
    assert.match(await readFile(join(folder, 'behind.csv'), 'utf8'), /^Code,Paper\r\n/);
  });

  it('is not half filled by a file of which only the end is in another encoding', async () => {
    const end = Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x0a]);
    await writeFile(join(folder, 'late.csv'), Buffer.concat([Buffer.from(`Code\n${'plain\n'.repeat(30_000)}`), end]));
    const before = (await scene.all('Imported')).length;
    assertPlain(await cartulary('import', 'late.csv', 'Imported'), /add --encoding shift_jis\.$/m);
    assert.equal((await scene.all('Imported')).length, before);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => /^late\.csv\..*import$/.test(name)),
      [],
    );
  });

  it('leaves no half of a line in a journal, onto which the next one would be written', async () => {
    const path = join(folder, 'half.import');
    const wanted = { path, file: 'half.csv', content: 'c', target: 't', isUpsert: false, restart: false };
    const settle = async (journal: FileJournal, from: number) => {
      await journal.noteSettled({ from, rows: 100, done: 100, stored: 100, rejected: [] });
      journal.close();
    };
    await settle(await openJournal(wanted), 0);
    await writeFile(path, '{"sent":100,"a', { flag: 'a' });
    await settle(await openJournal(wanted), 100);
    const last = await openJournal(wanted);
    last.close();
    assert.equal(last.stored, 200);
  });
});
