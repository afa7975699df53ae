// Values through the interface: all fourteen types written and read back, what replaces, merges and removes them, and
// what is refused with which words.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, string } from '../support/application.ts';
import {
  type AnyValues,
  assertConsistent,
  canonical,
  closeScene,
  done,
  expectedHash,
  NO_RECORD,
  NO_USER,
  type Operations,
  openScene,
  operationsOn,
  refused,
  type Scene,
  storedForm,
  storedRow,
  tableOf,
} from '../support/records.ts';

const SIMPLE_KEYS = [
  { name: 'Text', type: 'String' },
  { name: 'Number', type: 'Number' },
  { name: 'Flag', type: 'Boolean' },
  { name: 'At', type: 'DateTime' },
  { name: 'Day', type: 'Date' },
  { name: 'Clock', type: 'Time' },
  { name: 'Place', type: 'Location' },
  { name: 'Person', type: 'User' },
  { name: 'File', type: 'Attachment' },
  // Names that every object has from its prototype, and one that JavaScript would move to the front.
  { name: 'constructor', type: 'String' },
  { name: 'toString', type: 'Number' },
  { name: '10', type: 'Number' },
  { name: '9/~', type: 'Number' },
];

const reference = (column: string) => ({ scheme: { collectionId: 'tsites00', columnId: column } });

const DOCUMENT = {
  collections: [
    {
      id: 'tthings0',
      name: 'Things',
      columns: [
        { id: 'cstring0', name: 'String', type: 'String' },
        { id: 'cnumber0', name: 'Number', type: 'Number' },
        { id: 'cboolean', name: 'Boolean', type: 'Boolean' },
        { id: 'cdatetim', name: 'DateTime', type: 'DateTime' },
        { id: 'cdate000', name: 'Date', type: 'Date' },
        { id: 'ctime000', name: 'Time', type: 'Time' },
        { id: 'clocatio', name: 'Location', type: 'Location' },
        { id: 'cuser000', name: 'User', type: 'User' },
        { id: 'cattachm', name: 'Attachment', type: 'Attachment' },
        { id: 'cobject0', name: 'Object', type: 'Object', scheme: { keys: SIMPLE_KEYS } },
        { id: 'carray00', name: 'Array', type: 'Array', scheme: { element: { type: 'User' } } },
        {
          id: 'cobjects',
          name: 'Objects',
          type: 'Array',
          scheme: { element: { type: 'Object', scheme: { keys: SIMPLE_KEYS } } },
        },
        { id: 'crefstri', name: 'ReferenceString', type: 'ReferenceString', ...reference('csitenam') },
        { id: 'crefnumb', name: 'ReferenceNumber', type: 'ReferenceNumber', ...reference('csitenum') },
        { id: 'crefuser', name: 'ReferenceUser', type: 'ReferenceUser', ...reference('csiteusr') },
      ],
    },
    {
      id: 'tsites00',
      name: 'Sites',
      columns: [
        { id: 'csitenam', name: 'Name', type: 'String' },
        { id: 'csitenum', name: 'Number', type: 'Number' },
        { id: 'csiteusr', name: 'Keeper', type: 'User' },
      ],
    },
  ],
};

const FILE = { type: 'Attachment', id: `a${'0'.repeat(26)}`, name: 'a.png', contentType: 'image/png', size: 3 };

describe('values', () => {
  let scene: Scene;
  let things: Operations;
  /** One of every type that can exist without an upload, in the form in which it is stored. */
  let everything: AnyValues;

  before(async () => {
    scene = await openScene(DOCUMENT);
    const { app } = scene;
    things = operationsOn(app, 'Things');
    const admin = { type: 'User', id: app.admin.id, name: app.admin.name };
    const values = { csitenam: string('Harbour'), csitenum: number(7), csiteusr: admin };
    const site = done(await operationsOn(app, 'Sites').create(values));
    const refer = (type: string, columnId: keyof typeof values) => {
      const { id: recordId, hash: recordHash } = site;
      return { type, collectionId: 'tsites00', columnId, recordId, recordHash, value: values[columnId] };
    };
    const object = {
      type: 'Object',
      value: {
        Text: string('“quoted” \\ \n \u2028 😀 \u{10ffff}'),
        Number: number(-1.5e-7),
        Flag: { type: 'Boolean', value: false },
        At: { type: 'DateTime', value: '0001-01-01T00:00:00.000Z' },
        Day: { type: 'Date', value: '2024-02-29' },
        Clock: { type: 'Time', value: '23:59:59' },
        Place: { type: 'Location', latitude: -90, longitude: 180, altitude: -0.5 },
        Person: admin,
        constructor: string('a key like any other'),
        toString: number(1),
        '10': number(10),
        '9/~': number(9),
      },
    };
    everything = {
      cstring0: string('Line one\nline two\ttab "quote" back\\slash'),
      cnumber0: number(1.7976931348623157e308),
      cboolean: { type: 'Boolean', value: true },
      cdatetim: { type: 'DateTime', value: '9999-12-31T23:59:59.999Z' },
      cdate000: { type: 'Date', value: '9999-12-31' },
      ctime000: { type: 'Time', value: '00:00:00' },
      clocatio: { type: 'Location', latitude: 35.68, longitude: -139.76 },
      cuser000: admin,
      cobject0: object,
      carray00: { type: 'Array', value: [admin, admin] },
      cobjects: { type: 'Array', value: [object, { type: 'Object', value: {} }] },
      crefstri: refer('ReferenceString', 'csitenam'),
      crefnumb: refer('ReferenceNumber', 'csitenum'),
      crefuser: refer('ReferenceUser', 'csiteusr'),
    };
  });
  after(() => closeScene(scene));

  it('come back as they went in, and can be sent back unchanged by every road', async () => {
    const created = done(await things.create(everything));
    assert.deepEqual(created.values, everything);
    assert.equal(created.hash, expectedHash(created));
    const roads = [
      () => things.replace(created.id, created.values),
      () => things.merge(created.id, created.values),
      () => things.updateMany([{ id: created.id, values: created.values }]),
      () => things.updateMany([{ id: created.id, values: created.values, replace: false }]),
    ];
    for (const road of roads) {
      const [answered] = [done(await road())].flat();
      assert.deepEqual(answered.values, everything);
      assert.equal(answered.hash, created.hash);
      assert.equal(answered.timestamp, created.timestamp);
      assert.deepEqual(done(await things.get(created.id)), answered);
      assertConsistent(await storedRow(scene, 'Things', created.id));
    }
    const copy = done(await things.create(created.values));
    assert.deepEqual(copy.values, everything);
    assert.notEqual(copy.hash, created.hash, 'the identifier is part of the hash');
  });

  it('an attachment is refused while none exists, and accepted where the record holds it', async () => {
    const { id } = done(await things.create({}));
    for (const values of [
      { cattachm: FILE },
      { cobject0: { type: 'Object', value: { File: FILE } } },
      { cobjects: { type: 'Array', value: [{ type: 'Object', value: { File: FILE } }] } },
    ]) {
      const [columnId] = Object.keys(values);
      for (const reply of [
        await things.create(values),
        await things.replace(id, values),
        await things.merge(id, values),
      ]) {
        const params = refused(reply, 400, 'INVALID_VALUE');
        assert.equal(params.columnId, columnId);
        assert.match(params.reason, /no attachment/);
        assert.ok(params.path.endsWith('/id'), params.path);
      }
    }
    // As a record looks whose attachment has gone since.
    const values = { ...everything, cattachm: FILE };
    const hash = expectedHash({ id, values });
    await scene.server.database.sql(
      `update ${tableOf(scene, 'Things')} set hash = $2, rec = regexp_replace(split_part(rec, '"values":', 1),
         '"hash":"[^"]*"', '"hash":"' || $2 || '"') || '"values":' || $3 || '}' where id = $1`,
      [id, hash, canonical(storedForm(values))],
    );
    const read = done(await things.get(id));
    assert.deepEqual(read.values, values, 'all fourteen types at once');
    for (const road of [things.replace, things.merge]) {
      const answered = done(await road(id, read.values));
      assert.deepEqual(answered.values, values);
      assert.equal(answered.hash, hash);
      assertConsistent(await storedRow(scene, 'Things', id));
    }
    const bare = done(await things.replace(id, { cattachm: { type: 'Attachment', id: FILE.id } }));
    assert.deepEqual(bare.values, { cattachm: FILE }, 'the server fills in what it knows');
    const elsewhere = { cobject0: { type: 'Object', value: { File: FILE } } };
    refused(await things.replace(id, elsewhere), 400, 'INVALID_VALUE');
  });

  it('are stored in one form, whatever form was accepted', async () => {
    const { app } = scene;
    const { values } = done(
      await things.createRaw(`{"values": {
        "cstring0": {"type": "String", "value": "a\\r\\nb\\rc\\n\\u0001\\ud83d\\ude00"},
        "cnumber0": {"type": "Number", "value": -0.0},
        "cdatetim": {"type": "DateTime", "value": 1714559400.25},
        "cuser000": {"name": "Somebody else", "id": "${app.admin.id}", "type": "User"},
        "clocatio": {"altitude": -0, "longitude": 1E1, "latitude": 1.0, "type": "Location"},
        "cobject0": {"type": "Object", "value": {"At": {"type": "DateTime", "value": "2024-05-01T12:30:00+02:00"}}}
      }}`),
    );
    assert.deepEqual(values, {
      cstring0: string('a\nb\nc\n\u0001😀'),
      cnumber0: number(0),
      cdatetim: { type: 'DateTime', value: '2024-05-01T10:30:00.250Z' },
      cuser000: { type: 'User', id: app.admin.id, name: app.admin.name },
      clocatio: { type: 'Location', latitude: 1, longitude: 10, altitude: 0 },
      cobject0: { type: 'Object', value: { At: { type: 'DateTime', value: '2024-05-01T10:30:00.000Z' } } },
    });
  });

  it('members that the server fills in are ignored', async () => {
    const recordId = everything.crefstri?.recordId;
    const sent = { type: 'ReferenceString', collectionId: 'tsites00', columnId: 'csitenam', recordId };
    const { values } = done(
      await things.create({ crefstri: { ...sent, recordHash: 'wrong', value: string('wrong') } }),
    );
    assert.deepEqual(values, { crefstri: everything.crefstri });
  });

  it('replace takes away what is not sent, merge only what is null', async () => {
    const first = { cstring0: string('one'), cnumber0: number(1), cboolean: { type: 'Boolean', value: true } };
    const { id } = done(await things.create(first));
    const merged = done(await things.merge(id, { cnumber0: number(2), cboolean: null, cdate000: null }));
    assert.deepEqual(merged.values, { cstring0: string('one'), cnumber0: number(2) });
    assert.deepEqual(done(await things.merge(id, {})).values, merged.values);
    const replaced = done(await things.replace(id, { cdate000: { type: 'Date', value: '2024-01-01' } }));
    assert.deepEqual(replaced.values, { cdate000: { type: 'Date', value: '2024-01-01' } });
    const explicit = done(await things.put(id, { values: first, replace: true }));
    assert.deepEqual(explicit.values, first);
    assert.deepEqual(done(await things.replace(id, {})).values, {});
    assert.deepEqual(done(await things.get(id)).values, {});
    assertConsistent(await storedRow(scene, 'Things', id));
  });

  it('null is an error everywhere but as an entry of a merge', async () => {
    const { id } = done(await things.create({ cstring0: string('stays') }));
    for (const reply of [
      await things.create({ cstring0: null }),
      await things.replace(id, { cstring0: null }),
      await things.put(id, { values: { cstring0: null }, replace: true }),
      await things.merge(id, { cstring0: { type: 'String', value: null } }),
      await things.merge(id, { cstring0: { type: null, value: 'x' } }),
    ]) {
      const params = refused(reply, 400, 'INVALID_VALUE');
      assert.equal(params.columnId, 'cstring0');
      assert.match(params.reason, /null/);
    }
    const unknown = refused(await things.merge(id, { cnothere: null }), 400, 'INVALID_VALUE');
    assert.equal(unknown.columnId, 'cnothere');
    assert.deepEqual(done(await things.get(id)).values, { cstring0: string('stays') });
  });

  it('empty text, arrays and objects are values', async () => {
    const empty = {
      cstring0: string(''),
      cobject0: { type: 'Object', value: {} },
      carray00: { type: 'Array', value: [] },
    };
    const created = done(await things.create(empty));
    assert.deepEqual(created.values, empty);
    const bare = done(await things.merge(created.id, { cobject0: null, carray00: null }));
    assert.deepEqual(bare.values, { cstring0: string('') });
    assert.notEqual(bare.hash, created.hash, 'no value is something else than an empty one');
    assert.deepEqual(done(await things.merge(created.id, empty)).values, empty);
  });

  const key = (value: unknown) => ({ cobject0: { type: 'Object', value } });
  const WRONG: [string, Record<string, unknown>, RegExp, string?][] = [
    ['a number in quotes', { cnumber0: { type: 'Number', value: '1' } }, /number/, '/value'],
    ['a number as a Boolean', { cboolean: { type: 'Boolean', value: 1 } }, /true or false/, '/value'],
    ['a number as a String', { cstring0: { type: 'String', value: 1 } }, /string/, '/value'],
    ['U+0000', { cstring0: { type: 'String', value: 'a\0b' } }, /U\+0000/, '/value'],
    ['a lone high surrogate', { cstring0: { type: 'String', value: 'a\ud800' } }, /surrogate/, '/value'],
    ['a lone low surrogate', key({ Text: string('\udc00a') }), /surrogate/, '/value/Text/value'],
    ['another type', { cstring0: { type: 'Number', value: 1 } }, /"type" must be "String"/, '/type'],
    ['no type', { cstring0: { value: 'x' } }, /"type" is missing/],
    ['no value', { cstring0: { type: 'String' } }, /"value" is missing/],
    ['an unknown member', { cstring0: { type: 'String', value: 'x', extra: 1 } }, /"extra" is not a member/],
    ['plain text', { cstring0: 'x' }, /object/],
    ['an array as a value', { cstring0: [] }, /object/],
    ['another member in a Location', { clocatio: { type: 'Location', latitude: 1, longitude: 1, x: 1 } }, /"x"/],
    ['no longitude', { clocatio: { type: 'Location', latitude: 1 } }, /"longitude" is missing/],
    [
      'a latitude beyond the pole',
      { clocatio: { type: 'Location', latitude: 90.01, longitude: 1 } },
      /90/,
      '/latitude',
    ],
    [
      'a null altitude',
      { clocatio: { type: 'Location', latitude: 1, longitude: 1, altitude: null } },
      /null/,
      '/altitude',
    ],
    [
      'a POSIX time in milliseconds',
      { cdatetim: { type: 'DateTime', value: 1714559400000 } },
      /1714559400000 looks like milliseconds, but seconds are expected$/,
      '/value',
    ],
    [
      'a POSIX time before 1970 in milliseconds',
      { cdatetim: { type: 'DateTime', value: -1714559400000 } },
      /-1714559400000 looks like milliseconds, but seconds are expected$/,
      '/value',
    ],
    [
      'a POSIX time beyond every year, also in milliseconds',
      { cdatetim: { type: 'DateTime', value: 253402300800000 } },
      /253402300800000 is outside the years 0001 to 9999 in UTC$/,
      '/value',
    ],
    ['a day that does not exist', { cdate000: { type: 'Date', value: '2023-02-29' } }, /calendar/, '/value'],
    ['a time beyond the day', { ctime000: { type: 'Time', value: '24:00:00' } }, /23:59:59/, '/value'],
    ['a malformed user ID', { cuser000: { type: 'User', id: 'someone' } }, /identifier of a user/, '/id'],
    ['an unknown user', { cuser000: { type: 'User', id: NO_USER } }, /no user/, '/id'],
    [
      'an unknown user in an Array',
      { carray00: { type: 'Array', value: [{ type: 'User', id: NO_USER }] } },
      /no user/,
      '/value/0/id',
    ],
    ['an unknown key', key({ Nothing: string('x') }), /"Nothing" is not a key/, '/value'],
    ['a key of another type', key({ '9/~': string('x') }), /"Number"/, '/value/9~1~0/type'],
    ['a null key', key({ Text: null }), /null/, '/value/Text'],
    ['an inherited key', key({ hasOwnProperty: string('x') }), /not a key/, '/value'],
    ['an Object as an array', key([]), /object/, '/value'],
    ['mixed elements', { carray00: { type: 'Array', value: [string('x')] } }, /"User"/, '/value/0/type'],
    [
      'too many elements',
      { cobjects: { type: 'Array', value: Array(1001).fill({ type: 'Object', value: {} }) } },
      /1000/,
      '/value',
    ],
    ['an unknown column', { cnothere: string('x') }, /no such column/],
    ['no column at all', { constructor: string('x') }, /no such column/],
    [
      'an unknown record',
      { crefstri: { type: 'ReferenceString', collectionId: 'tsites00', columnId: 'csitenam', recordId: NO_RECORD } },
      /no record/,
      '/recordId',
    ],
  ];

  it('are refused with column, reason and path, on every road', async () => {
    const { id } = done(await things.create({ cstring0: string('stays') }));
    for (const [what, values, reason, path] of WRONG) {
      for (const reply of [
        await things.create(values),
        await things.replace(id, values),
        await things.merge(id, values),
      ]) {
        const params = refused(reply, 400, 'INVALID_VALUE');
        assert.equal(params.columnId, Object.keys(values)[0], what);
        assert.match(params.reason, reason, what);
        assert.equal(params.path, path, what);
        assert.deepEqual(Object.keys(params).sort(), ['columnId', ...(path ? ['path'] : []), 'reason'], what);
      }
    }
    assert.deepEqual(done(await things.get(id)).values, { cstring0: string('stays') });
  });

  it('numbers beyond any double and keys that are prototypes are refused in words', async () => {
    const cases: [string, string, RegExp][] = [
      ['"cnumber0": {"type": "Number", "value": 1e400}', 'cnumber0', /finite/],
      ['"clocatio": {"type": "Location", "latitude": 0, "longitude": 0, "altitude": -1e400}', 'clocatio', /finite/],
      ['"cdatetim": {"type": "DateTime", "value": 1e400}', 'cdatetim', /POSIX/],
      ['"cstring0": {"type": "String", "value": "\\ud800"}', 'cstring0', /surrogate/],
      ['"cstring0": {"type": "String", "value": "\\u0000"}', 'cstring0', /U\+0000/],
      ['"__proto__": {"type": "String", "value": "x"}', '__proto__', /no such column/],
      ['"cstring0": {"type": "String", "value": "x", "__proto__": {"value": "y"}}', 'cstring0', /__proto__/],
      ['"cstring0": {"__proto__": {"type": "String", "value": "x"}}', 'cstring0', /"type" is missing/],
      [
        '"cobject0": {"type": "Object", "value": {"__proto__": {"type": "String", "value": "x"}}}',
        'cobject0',
        /__proto__/,
      ],
      ['"cobject0": {"type": "Object", "value": {"__proto__": null}}', 'cobject0', /__proto__/],
      ['"\\ud800": {"type": "String", "value": "x"}', '\ud800', /no such column/],
    ];
    for (const [entry, columnId, reason] of cases) {
      const params = refused(await things.createRaw(`{"values": {${entry}}}`), 400, 'INVALID_VALUE');
      assert.equal(params.columnId, columnId, entry);
      assert.match(params.reason, reason, entry);
    }
    assert.equal(Object.hasOwn(Object.prototype, 'value'), false);
  });

  it('nesting of thousands of levels is refused like any other wrong value', async () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    for (const entry of [
      `"cstring0": ${deep}`,
      `"cstring0": {"type": "String", "value": ${deep}}`,
      `"carray00": {"type": "Array", "value": ${deep}}`,
      `"cobject0": {"type": "Object", "value": {"Text": ${deep}}}`,
      `"cnothere": ${deep}`,
    ]) {
      const params = refused(await things.createRaw(`{"values": {${entry}}}`), 400, 'INVALID_VALUE');
      assert.equal(params.columnId, entry.slice(1, 9));
    }
    const objects = `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`;
    const params = refused(await things.createRaw(`{"values": ${objects}}`), 400, 'INVALID_VALUE');
    assert.equal(params.columnId, 'a');
    // What the server fills in is ignored, however deep.
    const user = `{"type": "User", "id": "${scene.app.admin.id}", "name": ${deep}}`;
    const created = done(await things.createRaw(`{"values": {"cuser000": ${user}}}`));
    assert.deepEqual(created.values.cuser000, everything.cuser000);
    // What is longer is looked over before it is parsed.
    const deeper = '['.repeat(100_000) + ']'.repeat(100_000);
    refused(await things.createRaw(`{"values": {"cstring0": ${deeper}}}`), 400, 'INVALID_BODY');
  });
});
