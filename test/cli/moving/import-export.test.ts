// `import` and `export` against a real server: every type there and back, rejected rows, upserts, references, dry runs, and
// an application made from a file.

import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { number, string } from '../../support/application.ts';
import { run, withFolder } from '../../support/command.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { EVERY_TYPE, makeScene, operatorEnvironment, type Scene, SITES } from './moving-scene.ts';

const BIKES = [
  { name: 'Code', type: 'String', unique: true, searchable: true },
  { name: 'Price', type: 'Number' },
  { name: 'Bought', type: 'Date' },
  { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Name' } },
  { name: 'Owner', type: 'User' },
];

describe('import and export', { concurrency: 2 }, () => {
  let server: TestServer;
  let scene: Scene;

  before(async () => {
    server = await startTestServer();
    scene = await makeScene(server, [
      { name: 'Sites', columns: SITES },
      { name: 'Everything', columns: EVERY_TYPE },
      ...['csv', 'jsonl', 'xlsx'].map((format) => ({ name: `Copy of ${format}`, columns: EVERY_TYPE })),
      ...['Bikes', 'Upserted', 'Lookups', 'Zoned'].map((name) => ({ name, columns: BIKES })),
    ]);
  });
  after(async () => {
    await server.close();
  });

  async function create(collection: string, values: Record<string, object>): Promise<string> {
    const ids = scene.app.ids[collection] ?? {};
    const json = { values: Object.fromEntries(Object.entries(values).map(([name, value]) => [ids[name], value])) };
    const { status, body, text } = await scene.app.send('POST', scene.app.records(collection), { json });
    assert.equal(status, 200, text);
    return body.id;
  }

  /** The values by the names of their columns. */
  const named = (collection: string, record: { values: Record<string, Record<string, unknown>> }) => {
    const names = new Map(Object.entries(scene.app.ids[collection] ?? {}).map(([name, id]) => [id, name]));
    return Object.fromEntries(Object.entries(record.values).map(([id, value]) => [names.get(id), value]));
  };

  async function upload(collection: string, name: string, content: string): Promise<object> {
    const path = `/collections/${scene.app.ids[collection]?.id}/attachments`;
    const headers = {
      'content-type': 'text/plain',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    };
    const { body, status } = await scene.app.send('POST', path, { headers, raw: content });
    assert.equal(status, 200);
    return { type: 'Attachment', id: body.id };
  }

  async function makeEverything(): Promise<void> {
    const site = await create('Sites', {
      Name: string('Depot'),
      Level: number(2),
      Keeper: { type: 'User', id: scene.app.admin.id },
    });
    const ids = scene.app.ids.Sites ?? {};
    const reference = (type: string, column: string) => ({
      type,
      collectionId: ids.id,
      columnId: ids[column],
      recordId: site,
    });
    const address = {
      type: 'Object',
      value: { Street: string('Rue "X", 1'), Since: { type: 'Date', value: '2020-02-29' } },
    };
    await create('Everything', {
      Code: string('=1+1\n"quoted", and more'),
      Amount: number(-1.5),
      Done: { type: 'Boolean', value: false },
      At: { type: 'DateTime', value: '2026-03-02T08:15:30.123Z' },
      Day: { type: 'Date', value: '2026-01-31' },
      Hour: { type: 'Time', value: '23:59:58' },
      Place: { type: 'Location', latitude: 35.5, longitude: -139.25, altitude: 12 },
      Owner: { type: 'User', id: scene.app.admin.id },
      Photo: await upload('Everything', '写真 1.txt', '"a photo"'),
      Address: address,
      Tags: { type: 'Array', value: [string('a;b'), string('=c'), string('')] },
      Papers: {
        type: 'Array',
        value: [await upload('Everything', 'one.txt', 'one'), await upload('Everything', 'two.txt', 'two')],
      },
      Homes: { type: 'Array', value: [address, { type: 'Object', value: {} }] },
      Site: reference('ReferenceString', 'Name'),
      Level: reference('ReferenceNumber', 'Level'),
      Keeper: reference('ReferenceUser', 'Keeper'),
    });
    await create('Everything', { Code: string('') });
    await create('Everything', {
      Code: string("'=x"),
      Tags: { type: 'Array', value: [] },
      Address: { type: 'Object', value: {} },
    });
  }

  it('bring every type there and back, in every format', async () => {
    await makeEverything();
    const originals = (await scene.all('Everything')).map((record) => named('Everything', record));
    await withFolder(async (cwd) => {
      for (const format of ['csv', 'jsonl', 'xlsx']) {
        const file = `all.${format}`;
        const said = await scene.good(['export', 'Everything', file, '--timezone', 'Asia/Tokyo'], { cwd });
        assert.match(said, new RegExp(`^Exported 3 records and 3 attached files to all\\.${format}\\.$`, 'm'));
        await scene.good(['import', file, `Copy of ${format}`, '--parallel', '1'], { cwd });
        const copies = (await scene.all(`Copy of ${format}`)).map((record) => named(`Copy of ${format}`, record));
        assert.deepEqual(copies.map(withoutIds), originals.map(withoutIds), format);
        const copied = copies[0]?.Photo as { id: string };
        const path = `/collections/${scene.app.ids[`Copy of ${format}`]?.id}/attachments/${copied.id}`;
        assert.equal((await scene.app.send('GET', path, { unchecked: true })).body, 'a photo');
      }
      assert.deepEqual(
        (await readdir(cwd)).filter((name) => name.includes('.part')),
        [],
      );
    });
  });

  it('reject rows with their reasons into a file that can be repaired and imported', async () => {
    await withFolder(async (cwd) => {
      const rows = ['code,PRICE,Bought,Note', 'A1,5,2026-01-31,x', 'A2,five,2026-02-30,x', 'A1,6,,x', 'A3,7,,x'];
      await writeFile(join(cwd, 'bikes.csv'), `${rows.join('\r\n')}\r\n`);
      const dry = await scene.good(['import', 'bikes.csv', 'Bikes', '--dry-run'], { cwd });
      assert.match(dry, /^code +Code +String +A1, A2, A3$/m);
      assert.match(dry, /^Not imported: "Note"\.$/m);
      assert.match(dry, /^2 records would be created in Bikes\.\n2 rows would be rejected:$/m);
      assert.match(dry, /line 4: Code: line 2 has the same value, and the column is unique/);
      assert.equal((await scene.all('Bikes')).length, 0);

      const { code, stdout, stderr } = await scene.cartulary(['import', 'bikes.csv', 'Bikes'], { cwd });
      assert.equal(code, 1);
      assert.match(stdout, /Stored 2 records in Bikes/);
      assert.match(stderr, /^2 rows were rejected\. They are in bikes\.rejected\.csv/m);
      const rejected = await readFile(join(cwd, 'bikes.rejected.csv'), 'utf8');
      assert.equal(
        rejected,
        [
          'code,PRICE,Bought,Note,$line,$reason',
          'A2,five,2026-02-30,x,3,"Price: ""five"" is not a number; Bought: ""2026-02-30"" is not a day of the calendar"',
          'A1,6,,x,4,"Code ""A1"" is taken: another record has it"',
          '',
        ].join('\r\n'),
      );
      await writeFile(
        join(cwd, 'bikes.rejected.csv'),
        rejected.replace('five,2026-02-30', '5,2026-02-28').replace('A1,6', 'A4,6'),
      );
      await scene.good(['import', 'bikes.rejected.csv', 'Bikes'], { cwd });
      assert.deepEqual((await scene.all('Bikes')).map((record) => named('Bikes', record).Code?.value).sort(), [
        'A1',
        'A2',
        'A3',
        'A4',
      ]);
      const again = await scene.cartulary(['import', 'bikes.csv', 'Bikes'], { cwd });
      assert.match(again.stderr, /has been imported there already .* add --restart/);
    });
  });

  it('update by a unique column, and the later row of a file wins', async () => {
    await create('Upserted', { Code: string('K1'), Price: number(1), Bought: { type: 'Date', value: '2026-01-01' } });
    await withFolder(async (cwd) => {
      const rows = Array.from({ length: 250 }, (_, index) => `K${(index % 125) + 1},${index},`);
      await writeFile(join(cwd, 'bikes.csv'), `Code,Price,Bought\n${rows.join('\n')}\n`);
      await scene.good(['import', 'bikes.csv', 'Upserted', '--upsert', 'code'], { cwd });
      const records = (await scene.all('Upserted')).map((record) => named('Upserted', record));
      assert.equal(records.length, 125);
      assert.ok(records.every(({ Price }) => Number(Price?.value) >= 125));
      assert.equal(records[0]?.Bought?.value, '2026-01-01');
      await scene.good(['import', 'bikes.csv', 'Upserted', '--upsert', 'Code', '--clear-empty'], { cwd });
      assert.equal(named('Upserted', (await scene.all('Upserted'))[0]).Bought, undefined);
      const other = await scene.cartulary(['import', 'bikes.csv', 'Upserted', '--upsert', 'Price'], { cwd });
      assert.match(other.stderr, /"Price" cannot find records: it is not unique and searchable/);
    });
  });

  it('find referred records by the column that is named, and people by e-mail address or name', async () => {
    await create('Sites', { Name: string('North'), Nick: string('N') });
    await create('Sites', { Name: string('South'), Nick: string('S') });
    await create('Sites', { Name: string('South 2'), Nick: string('S') });
    await scene.app.addPerson('Ada', { email: 'ada@example.com' });
    await withFolder(async (cwd) => {
      const rows = ['L1,N,ADA@example.com', 'L2,S,Ada', 'L3,X,nobody', 'L4,,'];
      await writeFile(join(cwd, 'bikes.csv'), `Code,Site,Owner\n${rows.join('\n')}\n`);
      const { stdout } = await scene.cartulary(['import', 'bikes.csv', 'Lookups', '--reference', 'Site=Nick'], { cwd });
      assert.match(stdout, /line 3: Site: there are several records in Sites with Nick "S"/);
      assert.match(stdout, /line 4: Site: there is no record in Sites with Nick "X"; Owner: "nobody" is no user/);
      const [first] = await scene.all('Lookups');
      const { Site, Owner } = named('Lookups', first);
      assert.deepEqual([Site?.value, Owner?.name], [string('North'), 'Ada']);
      const exported = await scene.good(
        ['export', 'Lookups', '--search', 'Code:L1', '--columns', 'Site,Owner', '--reference', 'Site=Nick'],
        { cwd },
      );
      assert.equal(exported, 'Site,Owner\r\nN,ada@example.com\r\n');
    });
  });

  it('read times in a zone and decimal commas, and name what they cannot read', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bikes.csv'), 'Code;Price;Bought\nZ1;1.234,5;13/02/2026\nZ2;7;03/04/2026\n');
      await scene.good(['import', 'bikes.csv', 'Zoned', '--decimal-comma'], { cwd });
      const records = (await scene.all('Zoned')).map((record) => named('Zoned', record));
      assert.deepEqual(
        records.map(({ Price, Bought }) => [Price?.value, Bought?.value]),
        [
          [1234.5, '2026-02-13'],
          [7, '2026-04-03'],
        ],
      );
      const wrong = await scene.cartulary(['import', 'bikes.csv', 'Zoned', '--map', 'Price=Prize'], { cwd });
      assert.match(wrong.stderr, /--map Price=Prize: Zoned has no column "Prize"/);
      const none = await scene.cartulary(['import', 'none.csv', 'Zoned'], { cwd });
      assert.equal(none.code, 1, none.stderr);
      assert.match(none.stderr, /none\.csv/);
      await writeFile(join(cwd, 'other.csv'), 'Alpha,Beta\n1,2\n');
      const other = await scene.cartulary(['import', 'other.csv', 'Zoned'], { cwd });
      assert.match(other.stderr, /No column of the file is one of Zoned\. The file has "Alpha" and "Beta"/);
    });
  });

  it('make an application from a file, with an admin and a login', async () => {
    await withFolder(async (cwd) => {
      const env = operatorEnvironment(server, cwd);
      await writeFile(
        join(cwd, 'bikes.csv'),
        'Code,Price,Bought,Electric\nB1,10.5,2026-01-31,yes\nB2,,2026-02-01,no\n',
      );
      const dry = await run(['import', 'bikes.csv', '--new', 'Fleet', '--dry-run'], { cwd, env });
      assert.equal(dry.code, 0, dry.stderr);
      assert.match(dry.stdout, /^Electric +Electric +Boolean +yes, no$/m);
      const made = await run(['import', 'bikes.csv', '--new', 'Fleet', '--upsert', 'Code'], { cwd, env });
      assert.equal(made.code, 0, made.stderr);
      assert.match(made.stdout, /^Published Fleet \(p\w{26}\); its definition is in bikes\.application\.json\.$/m);
      assert.match(made.stdout, /^Made the admin Admin <admin@example\.com> with the password \S{15,}$/m);
      assert.match(made.stdout, /^Stored 2 records in Fleet/m);
      const definition = JSON.parse(await readFile(join(cwd, 'bikes.application.json'), 'utf8'));
      assert.deepEqual(
        definition.collections[0].columns.map(({ name, type, unique }: Record<string, unknown>) => [
          name,
          type,
          unique,
        ]),
        [
          ['Code', 'String', true],
          ['Price', 'Number', false],
          ['Bought', 'Date', false],
          ['Electric', 'Boolean', false],
        ],
      );
      const exported = await run(['export', 'Fleet'], { cwd, env });
      assert.equal(
        exported.stdout,
        'Code,Price,Bought,Electric\r\nB1,10.5,2026-01-31,true\r\nB2,,2026-02-01,false\r\n',
      );
      const twice = await run(['import', 'bikes.csv', '--new', 'Fleet'], { cwd, env });
      assert.match(twice.stderr, /The application "Fleet" exists already/);
      const second = await run(['import', 'bikes.csv', '--new', 'Spares', '--application', 'Fleet'], { cwd, env });
      assert.equal(second.code, 0, second.stderr);
      assert.match(
        (await run(['export', 'Spares', '--application', 'Fleet'], { cwd, env })).stdout,
        /^B2,,2026-02-01,false$/m,
      );
      const removed = await run(['applications', 'remove', 'Fleet', '--yes'], { cwd, env });
      assert.equal(removed.stdout, 'Removed, and with it the login profile fleet.\n');
      assert.match((await run(['records', 'list', 'Fleet'], { cwd, env })).stderr, /^You are not logged in\./);
    });
  });

  it('make attachments of a column that names files', async () => {
    await withFolder(async (cwd) => {
      const env = operatorEnvironment(server, cwd);
      await mkdir(join(cwd, '写真'));
      await writeFile(join(cwd, '写真', '一.txt'), 'one');
      await writeFile(join(cwd, 'plain'), 'no extension');
      const lines = [
        'Code,Photo,Gone,Word,Outside',
        '1,写真/一.txt,写真/一.txt,plain,../x.txt',
        '2,,写真/二.txt,plain,',
      ];
      await writeFile(join(cwd, 'photos.csv'), `${lines.join('\n')}\n`);
      const made = await run(['import', 'photos.csv', '--new', 'Photos'], { cwd, env });
      assert.equal(made.code, 0, made.stderr + made.stdout);
      const types = [...made.stdout.matchAll(/^(\w+) +\1 +(\w+) /gm)].map(([, name, type]) => `${name} ${type}`);
      assert.deepEqual(types, ['Code Number', 'Photo Attachment', 'Gone String', 'Word String', 'Outside String']);
      const exported = await run(['export', 'Photos', 'out.csv', '--columns', 'Photo'], { cwd, env });
      assert.match(exported.stdout, /^Exported 2 records and 1 attached file to out\.csv\.$/m);
    });
  });

  it('replace a file only with --force', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'mine.csv'), 'precious');
      const refused = await scene.cartulary(['export', 'Sites', 'mine.csv'], { cwd });
      assert.equal(refused.code, 1, refused.stdout);
      assert.equal(refused.stderr, 'mine.csv exists already. Add --force to replace it, or give another name.\n');
      assert.equal(await readFile(join(cwd, 'mine.csv'), 'utf8'), 'precious');
      await scene.good(['export', 'Sites', 'mine.csv', '--force'], { cwd });
      assert.match(await readFile(join(cwd, 'mine.csv'), 'utf8'), /^Name,/);
    });
  });
});

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  const { type } = value as { type?: string };
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !(type === 'Attachment' && name === 'id'))
      .map(([name, member]) => [name, withoutIds(member)]),
  );
}
