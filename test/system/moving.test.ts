// From nothing to a filled application and to a copy of it elsewhere, as a person and a program do it: only with the
// command line and the client.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CartularyError } from '../../client/src/errors.ts';
import { all, clientOfAda, type Installation, logIn, openInstallation } from './installation.ts';

const BIKES = {
  name: 'Fleet',
  collections: [
    {
      name: 'Bikes',
      columns: [
        { name: 'Code', type: 'String', unique: true, searchable: true, sortable: true },
        { name: 'Price', type: 'Number', searchable: true, sortable: true },
        { name: 'Bought', type: 'Date' },
        { name: 'Electric', type: 'Boolean', searchable: true },
        { name: 'Serviced', type: 'DateTime' },
        { name: 'Paper', type: 'Attachment' },
      ],
    },
  ],
};
const IMPORTED = 250;
const CREATED = 330;
const PLAIN = ['--columns', 'Code,Price,Bought,Electric,Serviced', '--order', 'Code'];

/** With Windows line ends and a byte order mark, as Excel saves it. */
const csv = (): string => {
  const rows = Array.from(
    { length: IMPORTED },
    (_, row) => `B-${row},${row}.5,2026-01-${String((row % 28) + 1).padStart(2, '0')},${row % 2 === 0 ? 'yes' : 'no'}`,
  );
  return `\ufeff${['Code,Price,Bought,Electric', ...rows].join('\r\n')}\r\n`;
};

describe('an installation, by its command line and its client', () => {
  let here: Installation;
  let client: Awaited<ReturnType<typeof clientOfAda>>['client'];
  const bikes = () => client.collection('Bikes');
  const paper = randomBytes(200_000);

  before(async () => {
    here = await openInstallation();
  });
  after(() => here?.close());

  it('publishes an application, lets a user in, and imports a file', async () => {
    await writeFile(join(here.folder, 'fleet.json'), JSON.stringify(BIKES));
    await writeFile(join(here.folder, 'bikes.csv'), csv());
    await here.good(['publish', 'fleet.json']);
    ({ client } = await clientOfAda(here, 'Fleet'));
    assert.match(await here.good(['import', 'bikes.csv', 'Bikes']), /^Stored 250 records in Bikes/m);
    assert.equal(await bikes().count(), IMPORTED);
    assert.match(await here.good(['whoami']), /^User +Ada /m);
  });

  it('lets a program search, change, create and refuse', async () => {
    const electric = await all(bikes().search('Electric:true Price<20', { sort: 'Price' }));
    assert.deepEqual(
      electric.map(({ Code, Price, Bought }) => [Code, Price, Bought]),
      Array.from({ length: 10 }, (_, n) => [
        `B-${2 * n}`,
        2 * n + 0.5,
        `2026-01-${String(2 * n + 1).padStart(2, '0')}`,
      ]),
    );
    const [first] = electric;
    assert.ok(first);
    const serviced = new Date('2026-11-16T10:00:00Z');
    const changed = await bikes().update(first, { Serviced: serviced, Price: null });
    assert.deepEqual([changed.Serviced, changed.Price, changed.Code], [serviced, undefined, 'B-0']);
    const many = Array.from({ length: CREATED }, (_, n) => ({ Code: `C-${n}`, Price: n }));
    assert.equal((await bikes().createMany(many).finish()).done, CREATED);
    const twice = await bikes()
      .create({ Code: 'C-0' })
      .catch((reason: unknown) => reason);
    assert.ok(twice instanceof CartularyError && twice.is('DUPLICATED_VALUES'), String(twice));
    const shown = JSON.parse(await here.good(['records', 'get', 'Bikes', 'Code=B-0', '--json']));
    assert.equal(shown.id, first.$id);
  });

  it('keeps files as they were sent, from the client and from the command line', async () => {
    const file = await bikes().upload(paper, { name: '=paper.bin', contentType: 'application/octet-stream' });
    const { $id } = await bikes().create({ Code: 'P-1', Paper: file });
    const held = (await bikes().get($id)).Paper as { id: string; stream(): AsyncIterable<Uint8Array> };
    assert.deepEqual(Buffer.concat(await all(held.stream())), paper);
    await here.good(['attachments', 'download', 'Bikes', held.id, '--output', 'paper.bin']);
    assert.deepEqual(await readFile(join(here.folder, 'paper.bin')), paper);
  });

  it('exports what the client reads, and imports what it exported', async () => {
    await here.good(['export', 'Bikes', 'first.jsonl', ...PLAIN]);
    const lines = (await readFile(join(here.folder, 'first.jsonl'), 'utf8')).trim().split('\n');
    const read = await all(bikes().search('', { sort: 'Code', order: 'ascending' }));
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)).map(({ Code, Price, Bought, Electric }) => [Code, Price, Bought, Electric]),
      read.map(({ Code, Price, Bought, Electric }) => [Code, Price, Bought, Electric]),
    );
    assert.equal(lines.length, IMPORTED + CREATED + 1);
    for (const format of ['csv', 'xlsx']) {
      await here.good(['export', 'Bikes', `all.${format}`]);
      assert.equal(await bikes().deleteEverything(), lines.length);
      await here.good(['import', `all.${format}`, 'Bikes']);
      await here.good(['export', 'Bikes', `again-${format}.jsonl`, ...PLAIN]);
      const again = await readFile(join(here.folder, `again-${format}.jsonl`), 'utf8');
      assert.deepEqual(again.trim().split('\n'), lines, format);
      const held = (await bikes().first('Code=P-1'))?.Paper as { stream(): AsyncIterable<Uint8Array> };
      assert.deepEqual(Buffer.concat(await all(held.stream())), paper, format);
    }
  });

  it('is the same elsewhere after backup and restore', async () => {
    await here.good(['backup', 'fleet.tar.gz']);
    await here.good(['backup', '--check', 'fleet.tar.gz']);
    const whole = await readFile(join(here.folder, 'fleet.tar.gz'));
    const there = await openInstallation();
    try {
      await writeFile(join(there.folder, 'cut.tar.gz'), whole.subarray(0, whole.length - 100));
      await writeFile(join(there.folder, 'fleet.tar.gz'), whole);
      const cut = await there.run(['restore', 'cut.tar.gz']);
      assert.equal(cut.code, 1);
      assert.match(cut.stderr, /cut short/);
      assert.deepEqual(JSON.parse(await there.good(['applications', 'list', '--json'])), []);
      await there.good(['restore', 'fleet.tar.gz']);
      await logIn(there, 'Fleet');
      for (const { good } of [here, there]) await good(['export', 'Bikes', 'copy.csv', '--metadata']);
      const [ours, theirs] = await Promise.all([here, there].map(filesOfCopy));
      assert.deepEqual(theirs, ours);
      assert.equal(ours?.length, 2);
    } finally {
      await there.close();
    }
  });
});

/** The exported file and its attachments: names and contents. */
async function filesOfCopy({ folder }: Installation): Promise<[string, string][]> {
  const names = (await readdir(join(folder, 'copy-files'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const paths = [join(folder, 'copy.csv'), ...names.sort()];
  return Promise.all(
    paths.map(async (path) => [path.slice(folder.length), await readFile(path, 'base64')] as [string, string]),
  );
}
