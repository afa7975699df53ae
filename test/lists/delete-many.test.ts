// Deleting many: what is answered, in which order, what the caller may write, and what happens when others write at the
// same time. Deletions go in steps, between which others get their turn.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { number, type Person, string } from '../support/application.ts';
import { createAll, listerOf, type Parameters, queryOf } from '../support/lists.ts';
import { countWaiting } from '../support/nodes.ts';
import {
  closeScene,
  done,
  openScene,
  operationsOn,
  recordActivities,
  refused,
  type Scene,
  tableOf,
} from '../support/records.ts';

const TITLE = 'ctitle00';
const SIZE = 'csize000';
const WHEN = 'cwhen000';

describe('deleting many', () => {
  let scene: Scene;
  let member: Person;

  before(async () => {
    const columns = [
      { id: TITLE, name: 'Title', type: 'String', searchable: true, sortable: true },
      { id: SIZE, name: 'Size', type: 'Number', searchable: true },
    ];
    scene = await openScene({
      timeZone: 'Asia/Tokyo',
      collections: [
        {
          id: 'tmany000',
          name: 'Many',
          columns: [...columns, { id: WHEN, name: 'When', type: 'DateTime', searchable: true }],
        },
        { id: 'tguarded', name: 'Guarded', writeAccessType: 'creatorOnly', columns: columns.map(guarded('cg')) },
        { id: 'thidden0', name: 'Hidden', readAccessType: 'creatorOnly', columns: columns.map(guarded('ch')) },
      ],
    });
    member = await scene.app.addPerson('Member');
  });
  after(() => closeScene(scene));

  const guarded = (start: string) => (column: { id: string; name: string }) => ({
    ...column,
    id: start + column.name.toLowerCase().padEnd(6, '0'),
  });

  const remove = (collection: string, parameters: Parameters = {}, token = scene.app.admin.token) =>
    scene.app.send('DELETE', scene.app.records(collection) + queryOf(parameters), { token });
  const titlesIn = async (collection: string) =>
    (await listerOf(scene, collection).all({ sortKey: 'createdAt', sortOrder: 'ascending' })).map(
      ({ values }) => Object.values(values).find(({ type }) => type === 'String')?.value,
    );
  const fill = (collection: string, titles: readonly string[], more: { creatorId?: string; start?: string } = {}) =>
    createAll(
      scene,
      collection,
      titles.map((title, index) => ({
        values: {
          [more.start === undefined ? TITLE : `${more.start}title0`]: string(title),
          [more.start === undefined ? SIZE : `${more.start}size00`]: number(index),
        },
        ...(more.creatorId === undefined ? {} : { creatorId: more.creatorId }),
      })),
    );

  beforeEach(async () => {
    for (const name of ['Many', 'Guarded', 'Hidden']) {
      await scene.server.database.sql(`delete from ${tableOf(scene, name)}`);
    }
  });

  it('answers 200 with the count when a limit is given, else 204', async () => {
    await fill('Many', ['a', 'b', 'c', 'd']);
    const counted = await remove('Many', { search: 'Title=a OR Title=b', limit: 10 });
    assert.deepEqual(done(counted), { deletedCount: 2 });
    const silent = await remove('Many', { search: 'Title=c' });
    assert.deepEqual([silent.status, silent.text, silent.headers.get('content-length')], [204, '', null]);
    assert.deepEqual(await titlesIn('Many'), ['d']);
    assert.deepEqual(done(await remove('Many', { search: 'Title=nobody', limit: 1 })), { deletedCount: 0 });
    assert.equal((await remove('Many', { search: 'Title=nobody' })).status, 204);
    assert.equal((await remove('Many')).status, 204);
    assert.deepEqual(await titlesIn('Many'), []);
  });

  it('deletes the oldest identifiers first, up to the limit', async () => {
    await fill('Many', ['a', 'b', 'a', 'c', 'a', 'd']);
    assert.deepEqual(done(await remove('Many', { limit: 2 })), { deletedCount: 2 });
    assert.deepEqual(await titlesIn('Many'), ['a', 'c', 'a', 'd']);
    assert.deepEqual(done(await remove('Many', { search: 'Title=a OR Title=d', limit: 2 })), { deletedCount: 2 });
    assert.deepEqual(await titlesIn('Many'), ['c', 'd']);
  });

  it('takes a limit from 1 to 100,000, a search and a time zone, and refuses others before it deletes', async () => {
    const [first = ''] = await fill('Many', ['a', 'b']);
    done(
      await operationsOn(scene.app, 'Many').merge(first, {
        [WHEN]: { type: 'DateTime', value: '2024-03-01T15:30:00Z' },
      }),
    );
    for (const limit of [0, 100_001, -1, 1.5, '', 'x', '1e2']) {
      assert.equal(refused(await remove('Many', { limit }), 400, 'INVALID_PARAMETER').parameter, 'limit');
    }
    const zone = refused(await remove('Many', { timezone: 'Mars/Olympus' }), 400, 'INVALID_PARAMETER');
    assert.equal(zone.parameter, 'timezone');
    assert.deepEqual(Object.keys(refused(await remove('Many', { search: 'Nobody:x' }), 400, 'INVALID_SEARCH')), [
      'message',
      'position',
    ]);
    refused(await remove('Many', { search: '('.repeat(40) }), 400, 'INVALID_SEARCH');
    assert.deepEqual(await titlesIn('Many'), ['a', 'b']);
    const search = 'When=2024-03-02';
    assert.deepEqual(done(await remove('Many', { search, limit: 5, timezone: 'UTC' })), { deletedCount: 0 });
    // The application's zone is Tokyo's.
    assert.deepEqual(done(await remove('Many', { search, limit: 100_000 })), { deletedCount: 1 });
  });

  it('deletes nothing for a parameter that it does not know, that is given twice, or a search that is empty', async () => {
    await fill('Many', ['a', 'b']);
    const removeBy = (query: string) => scene.app.send('DELETE', `${scene.app.records('Many')}?${query}`);
    const unknown = [
      'serach=Title=a',
      'SEARCH=Title=a',
      'search[]=Title=a',
      'skip=1',
      'after=x',
      '=x',
      'search=Title=a&x',
    ];
    for (const query of unknown) {
      const { parameter, reason } = refused(await removeBy(query), 400, 'INVALID_PARAMETER');
      assert.equal(reason, 'is not known: the operation takes search, timezone, limit', query);
      assert.equal(parameter, query.split('&').at(-1)?.split('=')[0]);
    }
    assert.equal(refused(await removeBy(`${'x'.repeat(500)}=1`), 400, 'INVALID_PARAMETER').parameter.length, 100);
    for (const query of ['search=', 'search', 'limit=5&search=', 'search=%20', 'search=+%09%E3%80%80', 's%65arch=']) {
      const { parameter, reason } = refused(await removeBy(query), 400, 'INVALID_PARAMETER');
      assert.deepEqual([parameter, reason], ['search', 'is empty; leave it out to delete all records'], query);
    }
    for (const search of ['""', '"  "', '("")', 'zzz OR ""', 'Title=a ""', '-""']) {
      refused(await removeBy(`search=${encodeURIComponent(search)}`), 400, 'INVALID_SEARCH');
    }
    for (const query of ['search=Title=a&search=', 'search=&search=Title=a', 'limit=1&limit=1']) {
      const { parameter, reason } = refused(await removeBy(query), 400, 'INVALID_PARAMETER');
      assert.deepEqual([parameter, reason], [query.split('=')[0], 'is given more than once'], query);
    }
    refused(await removeBy('s%65arch=%FF'), 400, 'INVALID_PARAMETER');
    assert.deepEqual(await titlesIn('Many'), ['a', 'b']);
    assert.equal((await removeBy('s%65arch=Title=a&')).status, 204);
    assert.deepEqual(await titlesIn('Many'), ['b']);
  });

  it('deletes only what the caller may write', async () => {
    for (const [collection, start] of [
      ['Guarded', 'cg'],
      ['Hidden', 'ch'],
    ] as const) {
      await fill(collection, ['a', 'b'], { start });
      await fill(collection, ['c', 'd', 'e'], { start, creatorId: member.id });
      assert.deepEqual(done(await remove(collection, { limit: 2 }, member.token)), { deletedCount: 2 });
      assert.deepEqual(await titlesIn(collection), ['a', 'b', 'e']);
      assert.deepEqual(done(await remove(collection, { search: 'Title=a', limit: 9 }, member.token)), {
        deletedCount: 0,
      });
      assert.equal((await remove(collection, {}, member.token)).status, 204);
      assert.deepEqual(await titlesIn(collection), ['a', 'b']);
      assert.deepEqual(done(await remove(collection, { limit: 9 })), { deletedCount: 2 });
    }
  });

  it('logs one activity for each record, in the order of deletion', async () => {
    const ids = await fill('Many', ['a', 'b', 'c']);
    const before = (await recordActivities(scene)).length;
    assert.equal((await remove('Many', { search: 'Size<2' }, member.token)).status, 204);
    const entries = (await recordActivities(scene)).slice(before);
    assert.deepEqual(
      entries.map(({ subType, extra, user }) => [subType, extra, user.name]),
      ids.slice(0, 2).map((recordId) => ['delete', { recordId }, 'Member']),
    );
    refused(await operationsOn(scene.app, 'Many').get(ids[0]!), 404, 'RECORD_NOT_FOUND');
    refused(await operationsOn(scene.app, 'Many').merge(ids[1]!, {}), 404, 'RECORD_NOT_FOUND');
  });

  /** A transaction of somebody else, which holds what it touched until it is let go. */
  const meanwhile = async (statement: string, params: unknown[]) => {
    const client = new pg.Client(scene.server.database.connection);
    await client.connect();
    await client.query('begin');
    await client.query(statement, params);
    return {
      end: async (how: 'commit' | 'rollback') => {
        await client.query(how);
        await client.end();
      },
    };
  };
  const waiting = async () => {
    for (let turn = 0; turn < 400; turn += 1) {
      if ((await countWaiting(scene.server.database)) === 1) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.fail('nobody waits');
  };

  it('spares a record that stops matching while it waits for it', async () => {
    const ids = await fill('Many', ['a', 'b', 'c', 'd']);
    const table = tableOf(scene, 'Many');
    const other = await meanwhile(`update ${table} set n_csize000 = 99 where id = $1`, [ids[1]]);
    const removing = remove('Many', { search: 'Size<=2', limit: 2 });
    await waiting();
    await other.end('commit');
    // The next one takes its place below the limit.
    assert.deepEqual(done(await removing), { deletedCount: 2 });
    assert.deepEqual(await titlesIn('Many'), ['b', 'd']);
  });

  it('passes over a record that somebody else deletes, and takes it when they change their mind', async () => {
    const ids = await fill('Many', ['a', 'b', 'c']);
    for (const [how, expected] of [
      ['rollback', 2],
      ['commit', 0],
    ] as const) {
      const other = await meanwhile(`delete from ${tableOf(scene, 'Many')} where id = any ($1)`, [
        how === 'rollback' ? [ids[0]] : [ids[2]],
      ]);
      const removing = remove('Many', { search: how === 'rollback' ? 'Size<2' : 'Size=2', limit: 10 });
      await waiting();
      await other.end(how);
      assert.deepEqual(done(await removing), { deletedCount: expected });
    }
    assert.deepEqual(await titlesIn('Many'), []);
  });

  it('counts each record once when two delete the same', async () => {
    const titles = Array.from({ length: 1_200 }, (_, index) => `title ${index}`);
    await fill('Many', titles);
    const before = (await recordActivities(scene)).length;
    const replies = await Promise.all([remove('Many', { limit: 100_000 }), remove('Many', { limit: 100_000 })]);
    const counts = replies.map((reply) => done(reply).deletedCount as number);
    assert.equal(counts[0]! + counts[1]!, titles.length);
    const deleted = (await recordActivities(scene)).slice(before).map(({ extra }) => extra.recordId);
    assert.equal(new Set(deleted).size, titles.length);
    assert.equal(deleted.length, titles.length);
    assert.deepEqual(await titlesIn('Many'), []);
  });

  it('goes in steps, and does not keep others from writing', async () => {
    const ids = await fill(
      'Many',
      Array.from({ length: 3_000 }, (_, index) => `title ${index}`),
    );
    const operations = operationsOn(scene.app, 'Many');
    // Somebody holds a record of the third step.
    const other = await meanwhile(`select 1 from ${tableOf(scene, 'Many')} where id = $1 for update`, [ids[1_250]]);
    const removing = remove('Many', { search: 'Title:title', limit: 100_000 });
    await waiting();
    // The first two steps are done for good, the third one waits, and nobody else has to.
    refused(await operations.get(ids[999]!), 404, 'RECORD_NOT_FOUND');
    done(await operations.get(ids[1_000]!));
    done(await operations.merge(ids[2_999]!, { [TITLE]: string('changed') }));
    done(await operations.create({ [TITLE]: string('new') }));
    assert.equal((await operations.remove(ids[2_000]!)).status, 204);
    await other.end('commit');
    assert.deepEqual(done(await removing), { deletedCount: 2_998 });
    assert.deepEqual(await titlesIn('Many'), ['changed', 'new']);
  });
});
