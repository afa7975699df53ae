// Writes whose statements fail, each of them in turn and in every way that makes a request start over: nothing is stored
// twice, and the answer tells of all that was.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type FailingWire, type Failure, failingWire, throughEveryFailure } from '../support/failing-wire.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';

interface Stored {
  readonly id: string;
  readonly rec: string;
}

describe('a write of which a statement fails', () => {
  let database: TestDatabase;
  let wire: FailingWire;
  let server: TestServer;
  let app: TestApplication;
  /** One for all: there are thousands of looks. */
  let own: pg.Client;
  let place: string;
  let ids: Record<string, string>;

  before(async () => {
    database = await createDatabase();
    own = new pg.Client(database.connection);
    await own.connect();
    wire = await failingWire(database.connection);
    server = await startTestServer({ database, connection: wire.connection, connectionsMax: 4, expectFailures: true });
    app = await publishApplication(server, {
      collections: [
        { name: 'Places', columns: [{ name: 'Name', type: 'String' }] },
        {
          name: 'Things',
          columns: [
            { name: 'Title', type: 'String' },
            { name: 'Key', type: 'String', unique: true, searchable: true },
            { name: 'Serial', type: 'String', unique: true },
            { name: 'Place', type: 'ReferenceString', scheme: { collection: 'Places', column: 'Name' } },
          ],
        },
      ],
    });
    ids = app.ids.Things!;
    const made = await app.send('POST', app.records('Places'), {
      json: { values: { [app.ids.Places!.Name!]: string('Osaka') } },
    });
    place = made.body.id;
  });
  after(async () => {
    await server.close();
    await wire.close();
    await own.end();
    await database.drop();
  });

  const values = (title: string, more: { key?: string; serial?: string } = {}) => ({
    values: {
      [ids.Title!]: string(title),
      [ids.Place!]: {
        type: 'ReferenceString',
        collectionId: app.ids.Places!.id,
        columnId: app.ids.Places!.Name,
        recordId: place,
      },
      ...(more.key === undefined ? {} : { [ids.Key!]: string(more.key) }),
      ...(more.serial === undefined ? {} : { [ids.Serial!]: string(more.serial) }),
    },
  });
  const things = () => app.records('Things');

  const stored = async (): Promise<Stored[]> =>
    (await own.query(`select id, rec from app_${app.id}.${ids.id} order by id`)).rows;

  /** `subType recordId` of all that was logged. */
  const logged = async (): Promise<string[]> =>
    (await own.query(`select entry from app_${app.id}.activity`)).rows
      .map(({ entry }) => JSON.parse(entry))
      .map(({ subType, extra }) => `${subType} ${extra.recordId}`)
      .sort();

  /** What a request meets: two records of its own, and one with the values that others must not have. */
  async function beginAnew(): Promise<Stored[]> {
    await own.query(`delete from app_${app.id}.${ids.id}`);
    const json = [
      values('first', { key: 'first', serial: 'first' }),
      values('second', { key: 'second', serial: 'second' }),
      values('holder', { key: 'taken', serial: 'taken' }),
    ];
    const made = await app.send('POST', things(), { json });
    assert.equal(made.status, 200, made.text);
    await own.query(`delete from app_${app.id}.activity`);
    const all = await stored();
    return made.body.map(({ id }: { id: string }) => all.find((one) => one.id === id));
  }

  /** Those that the answer says it has written. */
  function listed({ status, body }: Reply): string[] {
    if (status === 200) return [body].flat().map(({ id }: { id: string }) => id);
    const { insertedRecords, updatedRecords, upsertedRecords } = body?.params ?? {};
    return (insertedRecords ?? updatedRecords ?? upsertedRecords ?? []).map(({ id }: { id: string }) => id);
  }

  async function check(before: readonly Stored[], reply: Reply, failure: Failure): Promise<void> {
    const now = await stored();
    const titles = now.map(({ rec }) => JSON.parse(rec).values[ids.Title!].value);
    assert.equal(new Set(titles).size, titles.length, `stored twice: ${titles}`);
    const formerly = new Map(before.map(({ id, rec }) => [id, rec]));
    const changed = now.filter(({ id, rec }) => formerly.get(id) !== rec);
    const removed = before.filter(({ id }) => !now.some((one) => one.id === id));
    const entries = [
      ...changed.map(({ id }) => `${formerly.has(id) ? 'update' : 'create'} ${id}`),
      ...removed.map(({ id }) => `delete ${id}`),
    ];
    assert.deepEqual(await logged(), entries.sort());
    // Of what was done when its answer was lost nobody can tell.
    if (failure === 'lost' && reply.status === 503) return;
    if (reply.status === 204) assert.notEqual(removed.length, 0);
    else assert.deepEqual([...new Set(listed(reply))].sort(), changed.map(({ id }) => id).sort());
    if (reply.status === 400) assert.deepEqual(reply.body.code, 'DUPLICATED_VALUES');
  }

  const WRITES: Readonly<Record<string, (held: readonly Stored[]) => Promise<Reply>>> = {
    create: () => app.send('POST', things(), { json: values('new') }),
    'create that collides': () => app.send('POST', things(), { json: values('new', { serial: 'taken' }) }),
    'create many': () => app.send('POST', things(), { json: [values('a'), values('b'), values('c')] }),
    'create many of which the last collides': () =>
      app.send('POST', things(), { json: [values('a'), values('b'), values('c', { serial: 'taken' })] }),
    update: ([first]) => app.send('PUT', app.records('Things', first!.id), { json: values('other') }),
    'update of some columns': ([first]) =>
      app.send('PUT', app.records('Things', first!.id), { json: { ...values('other'), replace: false } }),
    'update many': ([first, second]) =>
      app.send('PUT', things(), {
        json: [
          { ...values('a'), id: first!.id },
          { ...values('b'), id: second!.id },
        ],
      }),
    'update many of which the last collides': ([first, second]) =>
      app.send('PUT', things(), {
        json: [
          { ...values('a'), id: first!.id },
          { ...values('b', { serial: 'taken' }), id: second!.id },
        ],
      }),
    upsert: () => app.send('PATCH', `${things()}/upsert/${ids.Key}`, { json: values('new', { key: 'new' }) }),
    'upsert of one that is there': () =>
      app.send('PATCH', `${things()}/upsert/${ids.Key}`, { json: values('other', { key: 'first' }) }),
    'upsert many': () =>
      app.send('PATCH', `${things()}/upsert/${ids.Key}`, {
        json: [values('a', { key: 'first' }), values('b', { key: 'new' }), values('c', { key: 'newer' })],
      }),
    'upsert many of which the last collides': () =>
      app.send('PATCH', `${things()}/upsert/${ids.Key}`, {
        json: [
          values('a', { key: 'first' }),
          values('b', { key: 'new' }),
          values('c', { key: 'newer', serial: 'taken' }),
        ],
      }),
    delete: ([first]) => app.send('DELETE', app.records('Things', first!.id)),
    'delete many': () => app.send('DELETE', things()),
  };

  for (const [name, write] of Object.entries(WRITES)) {
    it(`${name}: nothing twice, and the answer tells what is there`, async () => {
      await throughEveryFailure(wire, async (failure, begin) => {
        const held = await beginAnew();
        begin();
        const reply = await write(held);
        return { reply, check: () => check(held, reply, failure) };
      });
    });
  }
});
