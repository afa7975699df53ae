// `cartulary backup` and `cartulary restore` as an operator runs them.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { assertPlain, type Finished, run } from '../support/command.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';
import { elsewhere, entriesOf } from './archives.ts';

const MAIN = fileURLToPath(new URL('../../program/main.js', import.meta.url));
const COLLECTIONS = [{ name: 'Visits', columns: [{ name: 'Title', type: 'String' }] }];

describe('cartulary backup', () => {
  let folder: string;
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ct-backup-'));
    server = await startTestServer();
    app = await publishApplication(server, { name: 'Field visits', collections: COLLECTIONS });
    const values = { [app.ids.Visits!.Title!]: string('x') };
    assert.equal((await app.send('POST', app.records('Visits'), { json: { values } })).status, 200);
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const command = (args: readonly string[], address = server.address): Promise<Finished> =>
    run([...args, '--url', address], { cwd: folder, env: { CARTULARY_OPERATOR_KEY: OPERATOR_KEY } });

  it('writes a verified file that only its owner may read', async () => {
    const { code, stdout, stderr } = await command(['backup', 'all.tar.gz']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^all\.tar\.gz: 1 application and 0 attachments as of .*Z, .* MB, verified\.\n$/);
    const path = join(folder, 'all.tar.gz');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await entriesOf(gunzipSync(await readFile(path)))).at(-1)?.kind, 'end');
    const checked = await run(['backup', '--check', 'all.tar.gz'], { cwd: folder });
    assert.deepEqual([checked.code, checked.stderr], [0, '']);
    assert.match(checked.stdout, /^all\.tar\.gz is whole: 1 application and 0 attachments/);
    const plain = await command(['backup', 'all.tar', '--json']);
    assert.equal(JSON.parse(plain.stdout).applications, 1);
    assert.equal((await entriesOf(await readFile(join(folder, 'all.tar'))))[0]?.kind, 'manifest');
  });

  it('writes to standard output', async () => {
    const shell = (line: string, CARTULARY_OPERATOR_KEY = OPERATOR_KEY) =>
      promisify(execFile)('/bin/sh', ['-c', line, process.execPath, MAIN, server.address], {
        cwd: folder,
        env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1', CARTULARY_OPERATOR_KEY },
      });
    const { stderr } = await shell('"$0" "$1" backup - --url "$2" > out.tar');
    assert.match(stderr, /^[\d.]+ MB written to standard output, not verified: `backup --check <file>` does that\.\n$/);
    assert.equal((await entriesOf(await readFile(join(folder, 'out.tar')))).at(-1)?.kind, 'end');
    for (const options of [['--check'], ['--keep', '3'], ['--json'], ['--force']]) {
      assertPlain(
        await command(['backup', '-', ...options]),
        /^--check, --keep, --force and --json go with a file/,
        'usage',
      );
    }
    for (const place of ['-', '/dev/stdin'])
      assertPlain(await command(['restore', place]), /^A backup is verified before it is restored/, 'usage');
    assert.ok(!(await readdir(folder)).includes('-'));
  });

  it('refuses a file that was cut or is something else', async () => {
    for (const name of ['cut.tar', 'cut.tar.gz']) {
      await command(['backup', name]);
      await truncate(join(folder, name), Math.floor((await stat(join(folder, name))).size / 2));
      for (const args of [
        ['backup', '--check', name],
        ['restore', name],
      ]) {
        assertPlain(
          await command(args),
          /^cut\.tar(?:\.gz)?: The backup is not complete: it (?:ends after|was cut short)/,
        );
      }
    }
    await writeFile(join(folder, 'other.tar'), 'hello '.repeat(1_000));
    assertPlain(
      await command(['backup', '--check', 'other.tar']),
      /This is not a backup that `cartulary backup` has made\./,
    );
    assertPlain(await command(['backup', '--check', 'none.tar']), /^There is no file none\.tar\./);
    assertPlain(await command(['backup', 'nowhere/all.tar']), /^There is no folder nowhere\./);
    assertPlain(await command(['backup', 'all.tar', '--keep', '3']), /^--keep needs a folder/);
  });

  it('replaces a file only with --force', async () => {
    const mine = join(folder, 'mine.txt');
    await writeFile(mine, 'precious');
    assertPlain(await command(['backup', 'mine.txt']), /^mine\.txt exists already\. Add --force to replace it/);
    assert.equal(await readFile(mine, 'utf8'), 'precious');
    assert.equal((await command(['backup', 'mine.txt', '--force'])).code, 0);
    assert.equal((await entriesOf(await readFile(mine)))[0]?.kind, 'manifest');
  });

  it('keeps so many in a folder, and removes none before the new one is whole', async () => {
    const backups = join(folder, 'backups');
    await mkdir(backups);
    const older = [
      'cartulary-20200101T000000Z.tar.gz',
      'cartulary-20210101T000000Z.tar.gz',
      'cartulary-20220101T000000Z.tar',
    ];
    const others = [`cartulary-${app.id}-20200101T000000Z.tar.gz`, 'notes.txt'];
    for (const name of [...older, ...others]) await writeFile(join(backups, name), 'older');
    assertPlain(await command(['backup', 'backups', '--keep', '2'], 'http://127.0.0.1:9'), /^No server answers/);
    assert.equal((await readdir(backups)).length, 5);
    const { code, stdout } = await command(['backup', 'backups', '--keep', '2']);
    assert.equal(code, 0);
    assert.match(stdout, /^Removed 2 older backups\.$/m);
    const left = (await readdir(backups)).filter((name) => !others.includes(name)).sort();
    assert.equal(left.length, 2);
    assert.equal(left[0], older[2]);
    assert.match(left[1]!, /^cartulary-\d{8}T\d{6}Z\.tar\.gz$/);
  });

  it('is restored into an empty server, and refused elsewhere', async () => {
    const target = await startTestServer();
    try {
      assertPlain(await command(['restore', 'all.tar.gz']), /^The server has applications or shared users already\./);
      const { code, stdout, stderr } = await command(['restore', 'all.tar.gz'], target.address);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^Restored 1 application as of .*\nRestart the servers/);
      const there = elsewhere(app, target);
      assert.equal((await there.send('GET', there.records('Visits'))).body.length, 1);
    } finally {
      await target.close();
    }
  });

  it('takes one application by its name, and restores it as another', async () => {
    const one = await command(['backup', 'one.tar', '--application', 'Field visits']);
    assert.equal(one.code, 0, one.stderr);
    const copy = await command(['restore', 'all.tar.gz', '--application', 'field visits', '--as', 'Copy', '--json']);
    assert.equal(copy.code, 0, copy.stderr);
    assert.equal(JSON.parse(copy.stdout).application.name, 'Copy');
    assertPlain(
      await command(['restore', 'all.tar.gz', '--application', 'Field visit']),
      /^There is no application of the backup "Field visit"\. Did you mean "Field visits"\?/,
    );
    assertPlain(await command(['restore', 'one.tar']), /exists\. Remove it first, or restore the backup as another/);
  });
});
