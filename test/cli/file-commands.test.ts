// The commands for files, notifications, the activity log and the console, and what happens to output that nobody takes.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { assertPlain } from '../support/command.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openTerminal, type Terminal } from '../support/user-command.ts';

const MAIN = fileURLToPath(new URL('../../program/main.js', import.meta.url));
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('the commands for files and the rest', { concurrency: 2 }, () => {
  let server: TestServer;
  let app: TestApplication;
  let me: Terminal;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      name: 'Files',
      pushNotificationsEnabled: true,
      collections: [
        {
          name: 'Photos',
          columns: [
            { name: 'Title', type: 'String' },
            { name: 'Picture', type: 'Attachment' },
          ],
        },
      ],
    });
    me = await openTerminal(server);
    await me.login(app, app.admin);
    const json = Array.from({ length: 100 }, (_, n) => ({
      values: { [app.ids.Photos!.Title!]: string(`photo ${n}`.repeat(99)) },
    }));
    for (let batch = 0; batch < 3; batch++) await app.send('POST', app.records('Photos'), { json });
  });
  after(async () => {
    await me.close();
    await server.close();
  });

  const shell = (command: string) =>
    promisify(execFile)(
      '/bin/bash',
      ['--norc', '-c', `set -o pipefail; cartulary() { "${process.execPath}" "${MAIN}" "$@"; }; ${command}`],
      {
        cwd: me.folder,
        env: {
          PATH: process.env.PATH,
          NODE_NO_WARNINGS: '1',
          XDG_CONFIG_HOME: join(me.folder, 'config'),
          XDG_CACHE_HOME: join(me.folder, 'cache'),
        },
      },
    ).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code: code as number, stdout: stdout as string, stderr: stderr as string }),
    );

  it('upload, list and download files, large ones as streams', async () => {
    const bytes = randomBytes(9_000_000);
    await writeFile(join(me.folder, '屋根 (1).bin'), bytes);
    const uploaded = JSON.parse(await me.good(['attachments', 'upload', 'Photos', '屋根 (1).bin', '--json']));
    assert.deepEqual([uploaded.name, uploaded.size], ['屋根 (1).bin', 9_000_000]);
    await me.good(['records', 'create', 'Photos', 'Title=held', `Picture=${uploaded.id}`]);
    assert.match(
      await me.good(['attachments', 'list', 'Photos']),
      new RegExp(`^${uploaded.id} +屋根 \\(1\\)\\.bin +application/octet-stream +9\\.0 MB +Picture +r`, 'm'),
    );
    await mkdir(join(me.folder, 'down'), { recursive: true });
    const download = ['attachments', 'download', 'Photos', uploaded.id];
    assertPlain(await me.run(download), /^屋根 \(1\)\.bin exists already\. Add --force/, 'failed');
    assert.equal(await me.good([...download, '--output', 'down/copy.bin']), 'down/copy.bin\n');
    assert.equal(sha256(await readFile(join(me.folder, 'down/copy.bin'))), sha256(bytes));
    assert.deepEqual(await readdir(join(me.folder, 'down')), ['copy.bin']);
    assert.match(
      (await shell(`cartulary ${download.join(' ')} --output - | sha256sum`)).stdout,
      new RegExp(`^${sha256(bytes)}`),
    );
    const piped = await shell(
      `head -c 2000000 '屋根 (1).bin' | cartulary attachments upload Photos - --name piped.txt --json`,
    );
    const { size, contentType } = JSON.parse(piped.stdout);
    assert.deepEqual([size, contentType], [2_000_000, 'text/plain']);
    const ofPipe = await shell('cartulary attachments upload Photos <(head -c 2000000 /dev/zero) --json');
    assert.equal(JSON.parse(ofPipe.stdout).size, 2_000_000, ofPipe.stderr);
    assertPlain(
      await me.run(['attachments', 'download', 'Photos', `a${'0'.repeat(26)}`]),
      /^There is no attachment a0+\.$/m,
      'notFound',
    );
    assertPlain(
      await me.run(['attachments', 'download', 'Photos', 'x']),
      /^x is not the ID of an attachment; `attachments list Photos`/,
      'usage',
    );
    assertPlain(await me.run(['attachments', 'upload', 'Photos', 'missing']), /^Cannot read missing: ENOENT/, 'failed');
    assertPlain(
      await me.run([...download, '--output', 'no/such/folder']),
      /^Cannot write no\/such\/folder: its folder does not exist/,
      'failed',
    );
  });

  it('make thumbnails', async () => {
    await sharp({ create: { width: 300, height: 200, channels: 3, background: 'red' } })
      .png()
      .toFile(join(me.folder, 'red.png'));
    const id = (await me.good(['attachments', 'upload', 'Photos', 'red.png'])).trim();
    assert.equal(await me.good(['attachments', 'thumbnail', 'Photos', id, '--size', '64']), 'red-64.webp\n');
    const { width, format } = await sharp(join(me.folder, 'red-64.webp')).metadata();
    assert.deepEqual([width, format], [64, 'webp']);
    assertPlain(
      await me.run(['attachments', 'thumbnail', 'Photos', id, '--size', '65']),
      /^--size must be one of 64/,
      'usage',
    );
  });

  it('send notifications, and export the activity log', async () => {
    assert.equal(await me.good(['notify', 'Admin', 'The roof is done', '--title', 'Visits', '--sound']), 'Queued.\n');
    assertPlain(await me.run(['notify', 'Nobody', 'x']), /^There is no user "Nobody"\./, 'notFound');
    assertPlain(await me.run(['notify', 'Admin', 'x'.repeat(600)]), /512/, 'refused');
    const lines = (await me.good(['logs', 'export', '--from', '400d']))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.ok(lines.some(({ type, subType }) => type === 'notification' && subType === 'send'));
    assert.ok(lines.some(({ type }) => type === 'record'));
    assert.equal(
      await me.good(['logs', 'export', '--from', '2020-01-01', '--to', '2020-01-02', '--output', 'log.jsonl']),
      'log.jsonl\n',
    );
    assert.equal(await readFile(join(me.folder, 'log.jsonl'), 'utf8'), '');
    assertPlain(
      await me.run(['logs', 'export', '--from', 'yesterday']),
      /^--from yesterday is no time; it should look like/,
      'usage',
    );
    assert.equal(await me.good(['open']), `${server.address}/console/${app.id}\n`);
  });

  it('end quietly when the reader of the output has gone, and not when the disk is full', async () => {
    const { stdout, stderr } = await shell('cartulary records list Photos --limit all --json | head -c 10');
    assert.equal(stdout.length, 10);
    assert.equal(stderr, '');
    if (!existsSync('/dev/full')) return;
    for (const words of ['records list Photos', '--help', 'export --help']) {
      const full = await shell(`cartulary ${words} > /dev/full`);
      assert.equal(full.code, 1);
      assert.equal(full.stderr, 'Cannot write the output: the disk is full.\n');
    }
  });

  it('complete commands, options and names in bash', async () => {
    await me.good(['collections', 'list', 'Files']);
    await me.good(['records', 'list', 'Photos', '--limit', '1']);
    await writeFile(join(me.folder, 'completion.bash'), await me.good(['completion', 'bash']));
    const ask = async (...words: string[]) => {
      const typed = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
      const script = `source completion.bash
        COMP_WORDS=(cartulary ${typed}); COMP_CWORD=${words.length}; _cartulary; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = await shell(script);
      assert.equal(stderr.replace(/^.*compopt: .*\n/gm, ''), '');
      return stdout.split('\n').filter((line) => line !== '');
    };
    assert.deepEqual(await ask('rec'), ['records']);
    assert.deepEqual(await ask('records', 'd'), ['delete']);
    assert.deepEqual(await ask('records', 'list', 'ph'), ['Photos']);
    assert.deepEqual(await ask('records', 'list', 'Photos', '--lim'), ['--limit']);
    assert.deepEqual(await ask('records', 'list', 'Photos', '--order', 't'), ['Title']);
    assert.deepEqual(await ask('records', 'create', 'Photos', 'Title=x', 'P'), ['Picture=']);
    assert.deepEqual(await ask('whoami', '--profile', ''), ['files']);
    assert.deepEqual(await ask('users', 'list', "'Fi"), ['Files']);
    assert.deepEqual(await ask('completion', 'f'), ['fish']);
    assert.deepEqual(await ask('records', 'create', 'Photos', '--file', ''), []);
    assertPlain(
      await me.run(['completion', 'tcsh']),
      /^tcsh is not a known shell; known are bash, zsh, fish\.$/m,
      'usage',
    );
    for (const kind of ['zsh', 'fish']) assert.match(await me.good(['completion', kind]), /cartulary completion/);
  });
});
