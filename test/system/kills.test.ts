// The server is killed while a program creates records and while a file is imported. Resumed, every record exists, and
// once. The column is not unique, so that a record that was stored twice shows.

import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '../../client/src/main.ts';
import { all, clientOfAda, type Installation, openInstallation } from './installation.ts';

const ROWS = 3_000;
const ATTEMPTS_MAX = 5;
const PATIENCE_MS = 60_000;
const COLUMNS = [
  { name: 'Code', type: 'String' },
  { name: 'Number', type: 'Number' },
];
const COLLECTIONS = ['Created', 'Waiting', 'Resumed'];

describe('a server that is killed', () => {
  let here: Installation;
  let ada: Awaited<ReturnType<typeof clientOfAda>>;

  before(async () => {
    here = await openInstallation();
    const application = { name: 'Kills', collections: COLLECTIONS.map((name) => ({ name, columns: COLUMNS })) };
    await writeFile(join(here.folder, 'kills.json'), JSON.stringify(application));
    const rows = Array.from({ length: ROWS }, (_, row) => `K-${row},${row}`);
    await writeFile(join(here.folder, 'rows.csv'), `Code,Number\n${rows.join('\n')}\n`);
    await here.good(['publish', 'kills.json']);
    ada = await clientOfAda(here, 'Kills');
  });
  after(() => here?.close());

  async function assertEachOnce(collection: string): Promise<void> {
    const numbers = (await all(ada.client.collection(collection).search(''))).map((record) => record.Number);
    assert.equal(new Set(numbers).size, ROWS, 'none is lost');
    assert.equal(numbers.length, ROWS, 'none is doubled');
  }

  /** Waits until the journals of this import have so many lines of settled batches. */
  async function untilSettled(file: string, count: number): Promise<void> {
    const late = performance.now() + PATIENCE_MS;
    for (;;) {
      const names = (await readdir(here.folder)).filter(
        (name) => name.startsWith(`${file}.`) && name.endsWith('.import'),
      );
      const texts = await Promise.all(names.map((name) => readFile(join(here.folder, name), 'utf8')));
      if (texts.join('').split('"stored"').length > count) return;
      assert.ok(performance.now() < late, `waited in vain for ${count} batches`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  it('has each record of createMany once, when the program sends all of them again', async () => {
    const source = Array.from({ length: ROWS }, (_, row) => ({ Code: `K-${row}`, Number: row }));
    const idempotencyKey = (index: number) => `created-${index}`;
    let restarted: Promise<void> | undefined;
    let done = 0;
    let attempts = 0;
    for (; done < ROWS && attempts < ATTEMPTS_MAX; attempts += 1) {
      done = 0;
      // The first attempt gives up at once, as a program that was killed does.
      const retries = attempts === 0 ? { retries: 0 } : {};
      const program = createClient({ ...ada.options, ...retries }).collection('Created');
      try {
        for await (const { record } of program.createMany(source, { idempotencyKey })) {
          assert.equal(record?.Number, done);
          done += 1;
          if (done === 700 && restarted === undefined) restarted = here.end('SIGKILL').then(here.start);
        }
      } catch (error) {
        assert.equal(attempts, 0, `only the first attempt meets a dead server: ${String(error)}`);
      }
      await restarted;
    }
    assert.ok(restarted, 'the server was killed in the middle');
    assert.equal(done, ROWS);
    assert.ok(attempts > 1, 'the first attempt did not come to its end');
    await assertEachOnce('Created');
  });

  it('is waited for by an import, which goes on by itself', async () => {
    const { finished } = here.begin(['import', 'rows.csv', 'Waiting']);
    await untilSettled('rows.csv', 4);
    await here.end('SIGKILL');
    await here.start();
    const { code, stdout, stderr } = await finished;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Stored 3,000 records in Waiting/);
    await assertEachOnce('Waiting');
  });

  it('and an importer that is killed too, go on with the same command', async () => {
    await writeFile(join(here.folder, 'both.csv'), await readFile(join(here.folder, 'rows.csv')));
    const { child, finished } = here.begin(['import', 'both.csv', 'Resumed']);
    await untilSettled('both.csv', 4);
    await here.end('SIGKILL');
    child.kill('SIGKILL');
    await finished;
    await here.start();
    assert.match(
      await here.good(['import', 'both.csv', 'Resumed']),
      /^Going on: [\d,]+ records are stored already\.$/m,
    );
    await assertEachOnce('Resumed');
  });
});
