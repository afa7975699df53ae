// `import --from`: what other products export becomes an application, and what does not come over is told.

import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { run, withFolder } from '../../support/command.ts';
import { rootPath } from '../../support/markdown.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { operatorEnvironment } from './moving-scene.ts';

describe('import --from', { concurrency: 2 }, () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.close();
  });

  /** Imports the files, and exports a collection as plain JSON. */
  async function move(product: string, files: readonly string[], collection: string, code = 0) {
    let found: { said: string; rows: Record<string, unknown>[] } | undefined;
    await withFolder(async (cwd) => {
      await cp(rootPath(`test/cli/moving/exports/${product}`), cwd, { recursive: true });
      const env = operatorEnvironment(server, join(cwd, 'config'));
      const dry = await run(['import', '--from', product, ...files, '--new', product, '--dry-run'], { cwd, env });
      assert.equal(dry.code, 0, dry.stderr);
      const moved = await run(['import', '--from', product, ...files, '--new', product], { cwd, env });
      assert.equal(moved.code, code, moved.stderr + moved.stdout);
      const exported = await run(['export', collection, '--format', 'jsonl', '--references', 'value'], { cwd, env });
      assert.equal(exported.code, 0, exported.stderr);
      found = {
        said: moved.stdout,
        rows: exported.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      };
    });
    return found!;
  }

  it('airtable: the schema of a base and the CSV of its tables', async () => {
    const files = ['base.json', 'Bikes-Grid view.csv', 'Stations-Grid view.csv'];
    const { said, rows } = await move('airtable', files, 'Bikes');
    assert.deepEqual(rows, [
      {
        Code: 'B-1',
        Price: 1234.5,
        Share: 0.25,
        Electric: true,
        Tags: ['new', 'big, red'],
        Serviced: '2026-02-13T09:30:00.000Z',
        Station: 'Harbour',
        Photo: ['https://files.example.com/one.png'],
        Ride: 5400,
        Total: '$2469.00',
      },
      { Code: 'B-2', Electric: false, Serviced: '2026-02-03T10:00:00.000Z', Station: 'Park' },
    ]);
    assert.match(said, /^ {2}Bikes\.Total: the formula is not kept, only its present values, as texts$/m);
    assert.match(said, /^ {2}Bikes\.Ring: has no counterpart \(button\)$/m);
    assert.match(said, /^ {2}Bikes\.Photo: files are not downloaded/m);
    assert.match(said, /^You are logged in as Admin; the profile is called airtable\.$/m);
  });

  it('airtable: times are in the zone that their field shows', async () => {
    await withFolder(async (cwd) => {
      const dateTime = (name: string, timeZone: string) => ({
        name,
        type: 'dateTime',
        options: { timeZone, dateFormat: { name: 'european' }, timeFormat: { name: '24hour' } },
      });
      const fields = [
        { id: 'fld1', name: 'Name', type: 'singleLineText' },
        dateTime('Tokyo', 'Asia/Tokyo'),
        dateTime('Utc', 'utc'),
        dateTime('Own', 'client'),
      ];
      const base = { tables: [{ id: 'tbl1', name: 'Runs', primaryFieldId: 'fld1', fields }] };
      await writeFile(join(cwd, 'base.json'), JSON.stringify(base));
      const at = '3/2/2026 10:00';
      await writeFile(join(cwd, 'Runs-Grid view.csv'), `Name,Tokyo,Utc,Own\nA,${at},${at},${at}\nB,,,\n`);
      const env = operatorEnvironment(server, join(cwd, 'config'));
      const files = ['base.json', 'Runs-Grid view.csv'];
      const args = ['import', '--from', 'airtable', ...files, '--new', 'Zones', '--timezone', 'Europe/Berlin'];
      const moved = await run(args, { cwd, env });
      assert.equal(moved.code, 0, moved.stderr + moved.stdout);
      assert.match(moved.stdout, /^ {2}Runs\.Own: its times are read as UTC; if they are not, say --timezone$/m);
      assert.doesNotMatch(moved.stdout, /Runs\.(?:Tokyo|Utc):/);
      const { stdout } = await run(['export', 'Runs', '--order', 'Name'], { cwd, env });
      const [tokyo, utc, own] = ['01', '10', '09'].map((hour) => `2026-02-03T${hour}:00:00.000Z`);
      assert.equal(stdout, `Name,Tokyo,Utc,Own\r\nA,${tokyo},${utc},${own}\r\nB,,,\r\n`);
    });
  });

  it('kintone: the fields of an app and its CSV, by the codes of the fields', async () => {
    const { said, rows } = await move('kintone', ['fields.json', 'orders.csv'], 'kintone');
    assert.deepEqual(rows, [
      {
        'Record number': '1',
        Title: 'First',
        Amount: 1200,
        Kind: 'A',
        Marks: ['x', 'y'],
        Day: '2026-01-31',
        At: '2026-01-31T10:00:00.000Z',
        People: ['Ada'],
        Papers: ['a.pdf'],
        Created: '2026-01-30T09:15:00.000Z',
      },
      { 'Record number': '2', Title: 'Second', Created: '2026-01-30T09:16:00.000Z' },
    ]);
    assert.match(said, /^ {2}Lines: has no counterpart \(SUBTABLE\)$/m);
  });

  it('pocketbase: the exported collections and their records', async () => {
    const { said, rows } = await move('pocketbase', ['pb_schema.json', 'bikes.json', 'stations.json'], 'bikes');
    assert.deepEqual(rows, [
      {
        id: 'bk0000000000001',
        price: 12.5,
        electric: true,
        tags: ['new', 'red'],
        bought: '2026-01-31T00:00:00.000Z',
        station: 'st0000000000002',
        photo: ['one_x1.png'],
        extra: '{"a":1}',
      },
      { id: 'bk0000000000002', price: 0, electric: false, tags: [], photo: [] },
    ]);
    assert.match(said, /^ {2}bikes\.photo: the names of files are kept, not the files$/m);
  });

  it('directus: a snapshot of the schema and the items of its collections', async () => {
    const { said, rows } = await move('directus', ['snapshot.json', 'bikes.json', 'stations.csv'], 'bikes');
    assert.deepEqual(rows, [
      {
        id: '0b8f7f0e-0000-4000-8000-000000000001',
        price: 12.5,
        tags: ['new', 'red'],
        place: '35.5, 139.5',
        station: 7,
        photo: '0b8f7f0e-0000-4000-8000-000000000009',
        date_created: '2026-01-31T10:00:00.000Z',
      },
    ]);
    assert.match(said, /^ {2}stations\.bikes: shows other records or groups fields, and has no values$/m);
    assert.match(said, /^ {2}bikes\.photo: refers to directus_files, which is not moved; the IDs are kept$/m);
  });

  it('says which products it knows, and what comes first', async () => {
    await withFolder(async (cwd) => {
      await cp(rootPath('test/cli/moving/exports/directus'), cwd, { recursive: true });
      const env = operatorEnvironment(server, cwd);
      const unknown = await run(['import', '--from', 'excel', 'snapshot.json'], { cwd, env });
      assert.match(unknown.stderr, /--from excel is not known: use airtable, directus, kintone and pocketbase\./);
      const data = await run(['import', '--from', 'directus', 'bikes.json', 'snapshot.json'], { cwd, env });
      assert.match(data.stderr, /bikes\.json is not a schema of directus: .* It comes first, and the data after it\./);
      const other = await run(['import', '--from', 'pocketbase', 'snapshot.json'], { cwd, env });
      assert.match(
        other.stderr,
        /snapshot\.json is not a schema of pocketbase: the list of collections is not a list\./,
      );
    });
  });
});
