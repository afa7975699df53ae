// The commands for records: values as a person types them, tables, JSON, and how they say no.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { inColumns } from '../../src/cli/commands/columns.ts';
import { cutToWidth, textWidth } from '../../src/cli/text-width.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { assertPlain } from '../support/command.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';
import { openTerminal, type Terminal } from '../support/user-command.ts';

const searchable = { searchable: true };
const SITES = [
  { name: 'Code', type: 'String', unique: true, ...searchable },
  { name: 'Floors', type: 'Number', sortable: true, ...searchable },
];
const VISITS = [
  { name: 'Title', type: 'String', sortable: true, ...searchable },
  { name: 'Count', type: 'Number', unique: true },
  { name: 'Passed', type: 'Boolean', ...searchable },
  { name: 'Started', type: 'DateTime' },
  { name: 'Due', type: 'Date' },
  { name: 'Not before', type: 'Time' },
  { name: 'Place', type: 'Location' },
  { name: 'Worker', type: 'User' },
  { name: 'Photo', type: 'Attachment' },
  { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Code' } },
  {
    name: 'Address',
    type: 'Object',
    scheme: {
      keys: [
        { name: 'City', type: 'String' },
        { name: 'Floor', type: 'Number' },
      ],
    },
  },
  { name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } } },
];

describe('the commands for records', { concurrency: 2 }, () => {
  let server: TestServer;
  let app: TestApplication;
  let me: Terminal;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      name: 'Field work',
      collections: [
        { name: 'Sites', columns: SITES },
        { name: 'Visits', columns: VISITS },
        { name: 'Pages', columns: VISITS.slice(0, 3) },
        { name: 'Few', columns: VISITS.slice(0, 3) },
      ],
    });
    me = await openTerminal(server);
    await me.login(app, app.admin);
    const json = Array.from({ length: 100 }, (_, n) => ({ values: { [app.ids.Pages!.Title!]: string(`page ${n}`) } }));
    for (let batch = 0; batch < 3; batch++) await app.send('POST', app.records('Pages'), { json });
    await me.good(['records', 'create', 'Sites', 'Code=HD-1', 'Floors=3']);
  });
  after(async () => {
    await me.close();
    await server.close();
  });

  it('create a record of every type from words, change it, show it, and delete it', async () => {
    await writeFile(join(me.folder, 'roof top.txt'), 'tiles');
    const created = JSON.parse(
      await me.good([
        ...['records', 'create', 'visits', '--json', 'Title=A = B', 'Count=-1.5e3', 'passed=yes'],
        ...[
          'Started=2026-11-16 10:00+0900',
          'Due=2026-11-16',
          'Not before=10:30',
          'Place=35.5, 139.25',
          'Worker=admin',
        ],
        ...['Photo=@roof top.txt', 'Site=HD-1', 'Address.City=大阪', 'Address.Floor=3', 'Tags=roof', 'Tags=stairs'],
      ]),
    );
    const values = Object.fromEntries(
      VISITS.map(({ name }) => [name, created.values[app.ids.Visits![name]!]]),
    ) as Record<string, { value?: unknown; name?: string }>;
    assert.equal(values.Title!.value, 'A = B');
    assert.equal(values.Count!.value, -1500);
    assert.equal(values.Passed!.value, true);
    assert.equal(values.Started!.value, '2026-11-16T01:00:00.000Z');
    assert.equal(values['Not before']!.value, '10:30:00');
    assert.deepEqual(values.Place, { type: 'Location', latitude: 35.5, longitude: 139.25 });
    assert.equal(values.Worker!.name, 'Admin');
    assert.deepEqual([values.Photo!.name, (values.Photo as { size?: number }).size], ['roof top.txt', 5]);
    assert.deepEqual(values.Site!.value, string('HD-1'));
    const shown = await me.good(['records', 'get', 'Visits', created.id]);
    assert.match(shown, /^Title +A = B$/m);
    assert.match(shown, /^Address +City: 大阪; Floor: 3$/m);
    assert.match(shown, /^Tags +roof, stairs$/m);
    assert.match(shown, /^createdBy +Admin$/m);
    await me.good(['records', 'update', 'Visits', created.id, 'Title=C', 'Due=', 'Tags=["x"]', 'Address.Floor=4']);
    const changed = JSON.parse(await me.good(['records', 'get', 'Visits', 'Title=C', '--json']));
    assert.equal(changed.values[app.ids.Visits!.Due!], undefined);
    assert.equal(changed.values[app.ids.Visits!.Count!].value, -1500);
    assert.deepEqual(changed.values[app.ids.Visits!.Tags!].value, [string('x')]);
    assert.deepEqual(Object.keys(changed.values[app.ids.Visits!.Address!].value), ['City', 'Floor']);
    // What was read can be sent back.
    await me.good(['records', 'update', 'Visits', created.id, '--replace', '--file', '-'], JSON.stringify(changed));
    assert.equal(await me.good(['records', 'delete', 'Visits', created.id]), `Deleted ${created.id}.\n`);
    assertPlain(await me.run(['records', 'get', 'Visits', created.id]), /^There is no record r\w{26}\.$/m, 'notFound');
  });

  it('list page by page, in order, as a table or as JSON', async () => {
    const all = JSON.parse(await me.good(['records', 'list', 'Pages', '--limit', 'all', '--json']));
    assert.equal(new Set(all.map(({ id }: { id: string }) => id)).size, 300);
    const some = await me.run([
      'records',
      'list',
      'Pages',
      '--limit',
      '120',
      '--order',
      '-Title',
      '--columns',
      'Title,createdBy',
    ]);
    const lines = some.stdout.trimEnd().split('\n');
    assert.equal(lines.length, 121);
    assert.match(lines[0]!, /^ID +Title +createdBy$/);
    assert.match(lines[1]!, /^r\w{26} +page 99 +Admin$/);
    assert.match(some.stderr, /^There are more; --limit lists as many as you say, or "all"\.$/m);
    const found = await me.good(['records', 'search', 'Pages', 'Title="page 7"', '--columns', 'Title']);
    assert.equal(found.trimEnd().split('\n').length, 4);
    const none = await me.run(['records', 'search', 'Pages', "Title:'page'"]);
    assert.equal(none.stdout, 'There are no such records.\n');
    assert.match(none.stderr, /' is an ordinary character/);
    assert.equal(await me.good(['records', 'list', 'Visits', '--search', 'nothing', '--json']), '[]\n');
  });

  it('take a JSON file, one record or many, and say which was refused', async () => {
    const many = Array.from({ length: 150 }, (_, n) => ({ Title: `number ${n}`, Count: n, Passed: n % 2 === 0 }));
    const made = await me.run(['records', 'create', 'Few', '--file', '-'], JSON.stringify(many));
    assert.equal(made.stdout.trim().split('\n').length, 150);
    assert.match(made.stderr, /^Created 150 records in Few\.$/m);
    const twice = await me.run(
      ['records', 'create', 'Few', '--file', '-'],
      JSON.stringify([{ Count: 900 }, { Count: 5 }]),
    );
    assertPlain(
      twice,
      /^Record 2 was refused\. Another record has 5 in "Count", which is unique\. 1 record before it was created\.$/m,
      'refused',
    );
    const asks = await me.run(['records', 'delete', 'Few', '--search', 'Passed:true']);
    assertPlain(
      asks,
      /^Nothing was deleted\. Add --yes to delete what Passed:true finds in Few: 75 records\.$/m,
      'usage',
    );
    assert.equal(
      await me.good(['records', 'delete', 'Few', '--search', 'Passed:true', '--yes']),
      'Deleted 75 records of Few.\n',
    );
    assertPlain(
      await me.run(['records', 'delete', 'Few']),
      /^Give the records to delete, or --search, or --all\.$/m,
      'usage',
    );
    assertPlain(await me.run(['records', 'delete', 'Few', '--search', ' ', '--yes']), /^The search is empty/, 'usage');
    assert.equal(await me.good(['records', 'delete', 'Few', '--all', '--yes']), 'Deleted 76 records of Few.\n');
  });

  it('read JSON as Windows writes it, and refuse bytes that are no UTF-8', async () => {
    const json = '\ufeff{"name": "Windows", "collections": []}\r\n';
    const files = { utf8: Buffer.from(json), utf16: Buffer.from(json, 'utf16le') };
    const env = { CARTULARY_OPERATOR_KEY: OPERATOR_KEY };
    const publish = ['publish', 'windows.json', '--dry-run', '--url', server.address];
    for (const [encoding, bytes] of Object.entries(files)) {
      await writeFile(join(me.folder, 'windows.json'), bytes);
      const { code, stderr } = await me.run(publish, '', env);
      assert.equal(code, 0, `${encoding}: ${stderr}`);
    }
    await writeFile(join(me.folder, 'windows.json'), Buffer.from('{"name": "\x93\xfa"}', 'latin1'));
    assertPlain(await me.run(publish, '', env), /^windows\.json is not UTF-8 text, as JSON is\. Save it as UTF-8\.$/m);
  });

  it('offer the nearest name, and say what a value should look like', async () => {
    const create = (...words: string[]) => me.run(['records', 'create', 'Visits', ...words]);
    assertPlain(
      await me.run(['records', 'list', 'Vistis']),
      /^There is no collection "Vistis"\. Did you mean "Visits"\?/,
      'notFound',
    );
    assertPlain(await create('Titel=x'), /^There is no column of Visits "Titel"\. Did you mean "Title"\?/, 'notFound');
    assertPlain(await create('Address.Cty=x'), /^There is no key of Address "Cty"\. Did you mean "City"\?/, 'notFound');
    assertPlain(await create('Title'), /^Title is not a value; it should look like Column=text\.$/m, 'usage');
    assertPlain(
      await create('Started=10:00'),
      /^Started=10:00 is no DateTime; it should look like 2026-11-16T10:00Z or/,
      'refused',
    );
    assertPlain(await create('Due=2026-02-30'), /^The value of "Due" is refused: .*day/, 'refused');
    assertPlain(await create('Site=XX-9'), /^Sites has no record with Code=XX-9\.$/m, 'notFound');
    assertPlain(await create('Worker=Admn'), /^There is no user "Admn"\. Did you mean "Admin"\?/, 'notFound');
    assertPlain(await create('Photo=@missing.jpg'), /^Cannot read missing\.jpg: ENOENT/, 'failed');
    assertPlain(
      await me.run(['records', 'search', 'Visits', 'Title:(']),
      /^The search cannot be read at character \d+: /,
      'refused',
    );
    assertPlain(
      await me.run(['records', 'list', 'Visits', '--order', 'Due']),
      /^Records cannot be ordered by "Due": it is not sortable\.$/m,
      'refused',
    );
    assertPlain(
      await me.run(['records', 'list', 'Visits', '--limit', '0']),
      /^--limit must be a whole number from 1/,
      'usage',
    );
  });

  it('measure what a terminal shows, cut what does not fit, and let nothing move the cursor', () => {
    assert.deepEqual(['abc', '大阪', 'ﾊﾝ', 'e\u0301', '👩‍👩‍👧', '🇯🇵', '\u200b'].map(textWidth), [3, 4, 2, 1, 2, 2, 0]);
    assert.equal(cutToWidth('大阪城公園', 7), '大阪城…');
    const rows = [
      ['ID', 'Title', 'N'],
      ['r1', '大阪\u001b[2J\nsecond line', '1'],
      ['r2', 'x', '12'],
    ];
    assert.deepEqual(inColumns(rows, { numbers: ['N'] }), [
      'ID  Title                  N',
      'r1  大阪 [2J second line   1',
      'r2  x                     12',
    ]);
    assert.deepEqual(inColumns(rows, { whole: ['ID'], width: 20 })[1], 'r1  大阪 [2J se…  1');
  });
});
