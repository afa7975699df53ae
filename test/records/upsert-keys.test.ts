// The keys of upserts: which column may be one, which values are proper, and which are the same, for every type that may
// be unique.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, type Person, string } from '../support/application.ts';
import {
  type AnyValue,
  closeScene,
  done,
  type InputValues,
  NO_RECORD,
  NO_USER,
  type Operations,
  openScene,
  operationsOn,
  refused,
  type Scene,
  storedRows,
} from '../support/records.ts';
import { type EqualValues, equalValues } from './equal-values.ts';

const CODE = 'ccode000';
const SIZE = 'csize000';
const LINK = 'clink000';
const KEY = { unique: true, searchable: true };

const DOCUMENT = {
  collections: [
    {
      id: 'tthings0',
      name: 'Things',
      columns: [
        { id: CODE, name: 'Code', type: 'String', ...KEY },
        { id: SIZE, name: 'Size', type: 'Number' },
        { id: LINK, name: 'Link', type: 'ReferenceString', scheme: { collectionId: 'tthings0', columnId: CODE } },
        { id: 'cuniqueo', name: 'Unique only', type: 'String', unique: true },
        { id: 'csearcho', name: 'Searchable only', type: 'String', searchable: true, sortable: true },
        { id: 'cneither', name: 'Neither', type: 'Array', scheme: { element: { type: 'String' } } },
      ],
    },
    {
      id: 'ttypes00',
      name: 'Types',
      columns: [
        { id: 'cstring0', name: 'String', type: 'String', ...KEY, sortable: true },
        { id: 'cnumber0', name: 'Number', type: 'Number', ...KEY },
        { id: 'cdatetim', name: 'DateTime', type: 'DateTime', ...KEY },
        { id: 'cdate000', name: 'Date', type: 'Date', ...KEY },
        { id: 'ctime000', name: 'Time', type: 'Time', ...KEY },
        { id: 'cuser000', name: 'User', type: 'User', ...KEY },
        {
          id: 'crefsite',
          name: 'Site',
          type: 'ReferenceString',
          ...KEY,
          scheme: { collectionId: 'tthings0', columnId: CODE },
        },
        { id: 'cnote000', name: 'Note', type: 'Number' },
      ],
    },
  ],
};

describe('keys of upserts', () => {
  let scene: Scene;
  let things: Operations;
  let types: Operations;
  let other: Person;

  before(async () => {
    scene = await openScene(DOCUMENT);
    things = operationsOn(scene.app, 'Things');
    types = operationsOn(scene.app, 'Types');
    other = await scene.app.addPerson('Other');
  });
  after(() => closeScene(scene));

  const refer = (recordId: string) => ({ type: 'ReferenceString', collectionId: 'tthings0', columnId: CODE, recordId });

  describe('the key column', () => {
    it('must have the form of one, before anyone is asked who they are', async () => {
      for (const id of ['x', CODE.toUpperCase(), `${CODE}0`, 'r0000000']) {
        const path = `${scene.app.records('Things')}/upsert/${id}`;
        for (const token of [scene.app.admin.token, 'nobody']) {
          const reply = await scene.app.send('PATCH', path, { token, raw: '{' });
          assert.match(refused(reply, 400, 'INVALID_COLUMN_ID').reason, /\^c\[a-z0-9\]\{7\}\$/);
        }
      }
      const empty = await scene.app.send('PATCH', `${scene.app.records('Things')}/upsert/`, { json: [] });
      // A slash at the end counts as none, and `upsert` alone is a record's place.
      refused(empty, 405, 'METHOD_NOT_ALLOWED');
      const wrongVerb = await scene.app.send('PUT', `${scene.app.records('Things')}/upsert/${CODE}`, { json: [] });
      refused(wrongVerb, 405, 'METHOD_NOT_ALLOWED');
    });

    it('must exist in this collection, also for an empty array', async () => {
      for (const id of ['cnothere', 'cstring0']) {
        for (const reply of [await things.upsert(id, {}), await things.upsertMany(id, [])]) {
          assert.deepEqual(refused(reply, 404, 'COLUMN_NOT_FOUND'), { columnId: id });
        }
      }
      const reply = await scene.app.send('PATCH', `/collections/tnothere/records/upsert/${CODE}`, { json: [] });
      refused(reply, 404, 'COLLECTION_NOT_FOUND');
    });

    it('must be unique and searchable', async () => {
      const lacking = {
        cuniqueo: /not searchable$/,
        csearcho: /not unique$/,
        cneither: /not unique and not searchable$/,
      };
      for (const [id, reason] of Object.entries(lacking)) {
        for (const reply of [await things.upsert(id, { [id]: string('x') }), await things.upsertMany(id, [])]) {
          const params = refused(reply, 400, 'INVALID_UPSERT_KEY');
          assert.equal(params.columnId, id);
          assert.match(params.reason, reason);
        }
      }
    });
  });

  describe('the value of the key', () => {
    const improper: [string, unknown][] = [
      ['null', null],
      ['another type', number(1)],
      ['no value', { type: 'String' }],
      ['a wrong value', { type: 'String', value: 5 }],
      ['a null inside', { type: 'String', value: null }],
      ['U+0000', string('\0')],
      ['a lone surrogate', string('\ud800')],
      ['an unknown member', { ...string('x'), more: 1 }],
      ['a plain text', 'x'],
      ['an array', [string('x')]],
    ];

    it('is missing when it is absent, null or improper, whatever else is wrong', async () => {
      const before = await storedRows(scene, 'Things');
      const wrong = { [SIZE]: string('x'), [LINK]: refer(NO_RECORD) };
      for (const [what, value] of [['absent', undefined], ...improper] as [string, unknown][]) {
        for (const rest of [{}, wrong]) {
          const values = value === undefined ? rest : { ...rest, [CODE]: value };
          const { reason, ...one } = refused(await things.upsert(CODE, values), 400, 'MISSING_UPSERT_KEY_VALUE');
          assert.match(String(reason), /\w/, what);
          assert.deepEqual(one, { columnId: CODE }, what);
          const params = refused(await things.upsertMany(CODE, [{ values }]), 400, 'MISSING_UPSERT_KEY_VALUE');
          assert.deepEqual(params, { columnId: CODE, reason, recordIndex: 0, upsertedRecords: [] }, what);
        }
      }
      assert.deepEqual(await storedRows(scene, 'Things'), before);
    });

    it('is missing when what it points to is not there', async () => {
      const hidden: [string, AnyValue][] = [
        ['cuser000', { type: 'User', id: NO_USER }],
        ['cuser000', { type: 'User', id: 'nobody' }],
        ['crefsite', refer(NO_RECORD)],
        ['crefsite', { ...refer(NO_RECORD), columnId: SIZE }],
      ];
      for (const [columnId, value] of hidden) {
        const values = { [columnId]: value, cnote000: number(1) };
        const { reason, ...one } = refused(await types.upsert(columnId, values), 400, 'MISSING_UPSERT_KEY_VALUE');
        assert.deepEqual(one, { columnId });
        const params = refused(await types.upsertMany(columnId, [{ values }]), 400, 'MISSING_UPSERT_KEY_VALUE');
        assert.deepEqual(params, { columnId, reason, recordIndex: 0, upsertedRecords: [] });
      }
    });

    it('finds the record that has it, for every type that may be unique', async () => {
      const thing = done(await things.create({ [CODE]: string('referred') }));
      const another = done(await things.create({ [CODE]: string('referred too') }));
      const long = 'ä'.repeat(400_000);
      const cases: EqualValues[] = [
        ...equalValues(refer, { records: [thing.id, another.id], users: [other.id, scene.app.admin.id] }),
        ['cstring0', string(''), string(''), string(' ')],
        ['cstring0', string('x'.repeat(900_000)), string('x'.repeat(900_000)), string('x'.repeat(899_999))],
        ['cstring0', string(`${long}1`), string(`${long}1`), string(`${long}2`)],
        ['cnumber0', number(1e21), number(1e21), number(0.1)],
        [
          'cdatetim',
          { type: 'DateTime', value: 1714559400.5 },
          { type: 'DateTime', value: '2024-05-01T12:30:00.5+02:00' },
          { type: 'DateTime', value: 1714559401 },
        ],
        [
          'cdate000',
          { type: 'Date', value: '2024-02-29' },
          { type: 'Date', value: '2024-02-29' },
          { type: 'Date', value: '2024-03-01' },
        ],
      ];
      for (const [columnId, value, same, different] of cases) {
        const note = (n: number) => ({ cnote000: number(n) });
        const first = done(await types.upsert(columnId, { [columnId]: value, ...note(1) }));
        const again = done(await types.upsert(columnId, { [columnId]: same, ...note(2) }));
        assert.equal(again.id, first.id);
        assert.deepEqual(again.values, { ...first.values, ...note(2) }, 'the stored form is one');
        const second = done(await types.upsert(columnId, { ...note(3), [columnId]: different }));
        assert.notEqual(second.id, first.id);
        if (JSON.stringify(value).length < 1000) {
          const many = done(
            await types.upsertMany(
              columnId,
              [same, different].map((one) => ({ values: { [columnId]: one } })),
            ),
          );
          assert.deepEqual(
            many.map(({ id }: { id: string }) => id),
            [first.id, second.id],
          );
        }
        assert.deepEqual(done(await types.get(first.id)).values, again.values);
        assert.equal((await types.remove(first.id)).status, 204);
        assert.equal((await types.remove(second.id)).status, 204);
      }
    });

    it('may point to what is gone where the record holds it', async () => {
      const leaving = await scene.app.addPerson('Leaving');
      const thing = done(await things.create({ [CODE]: string('leaving') }));
      const keys: [string, AnyValue][] = [
        ['cuser000', { type: 'User', id: leaving.id }],
        ['crefsite', refer(thing.id)],
      ];
      const holders = await Promise.all(
        keys.map(async ([columnId, value]) => done(await types.upsert(columnId, { [columnId]: value }))),
      );
      await scene.server.database.sql(`update app_${scene.app.id}.users set deleted_at = $2 where id = $1`, [
        leaving.id,
        '2024-01-01T00:00:00Z',
      ]);
      assert.equal((await things.remove(thing.id)).status, 204);
      for (const [index, [columnId, value]] of keys.entries()) {
        for (const work of [
          (values: InputValues) => types.upsert(columnId, values),
          (values: InputValues) => types.upsertMany(columnId, [{ values }]),
        ]) {
          const changed = [done(await work({ [columnId]: value, cnote000: number(index) }))].flat()[0];
          assert.equal(changed.id, holders[index].id);
          if (columnId === 'cuser000') assert.equal(changed.values.cuser000.name, 'Leaving');
        }
        assert.equal((await types.remove(holders[index].id)).status, 204);
        refused(await types.upsert(columnId, { [columnId]: value }), 400, 'MISSING_UPSERT_KEY_VALUE');
      }
    });
  });
});
