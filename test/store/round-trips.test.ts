// What a request costs at the database, counted on the wire once caches are warm.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TOLD_MAX } from '../../src/store/database/prepared.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { tapWire, type WireTap } from '../support/wire-tap.ts';

/** The database is told to plan a get once, in a statement that goes with each of the first. */
const RUNS = TOLD_MAX + 6;

describe('round trips', () => {
  let database: TestDatabase;
  let tap: WireTap;
  let server: TestServer;
  let app: TestApplication;
  let title: string;
  let code: string;

  before(async () => {
    database = await createDatabase();
    tap = await tapWire(database.connection);
    // One connection, so that all statements are prepared where they are used again.
    server = await startTestServer({ database, connection: tap.connection, connectionsMax: 1 });
    app = await publishApplication(server, {
      collections: [
        {
          name: 'Things',
          columns: [
            { name: 'Title', type: 'String' },
            { name: 'Code', type: 'String', unique: true },
          ],
        },
        { name: 'Keyed', columns: [{ name: 'Key', type: 'String', unique: true, searchable: true }] },
      ],
    });
    title = app.ids.Things!.Title!;
    code = app.ids.Things!.Code!;
  });
  after(async () => {
    await server.close();
    await tap.close();
    await database.drop();
  });

  let codes = 0;
  const values = () => ({ [title]: string('x'), [code]: string(`code ${++codes}`) });

  /**
   * With warm caches, the least of several runs: statements of timers are on the wire too, and a long message that is sent
   * in pieces counts as several round trips if the database replies to its beginning.
   */
  async function cost(work: () => Promise<{ status: number }>) {
    const costs = [];
    for (let run = 0; run < RUNS; run += 1) {
      tap.take();
      assert.equal((await work()).status < 300, true);
      costs.push(tap.take());
    }
    return {
      roundTrips: Math.min(...costs.map(({ roundTrips }) => roundTrips)),
      statements: Math.min(...costs.map(({ statements }) => statements)),
    };
  }

  const create = async () =>
    (await app.send('POST', app.records('Things'), { json: { values: values() } })).body.id as string;

  it('get takes one', async () => {
    const id = await create();
    assert.deepEqual(await cost(() => app.send('GET', app.records('Things', id))), { roundTrips: 1, statements: 1 });
  });

  it('create takes one, its activity entry included', async () => {
    const work = () => app.send('POST', app.records('Things'), { json: { values: values() } });
    assert.deepEqual(await cost(work), { roundTrips: 1, statements: 1 });
  });

  it('a batch of 100 creates takes one statement', async () => {
    const work = () =>
      app.send('POST', app.records('Things'), { json: Array.from({ length: 100 }, () => ({ values: values() })) });
    assert.deepEqual(await cost(work), { roundTrips: 1, statements: 1 });
  });

  it('update takes one, also with If-Match', async () => {
    const id = await create();
    const update = (headers: Record<string, string>) => () =>
      app.send('PUT', app.records('Things', id), { json: { values: values() }, headers });
    assert.deepEqual(await cost(update({})), { roundTrips: 1, statements: 1 });
    assert.deepEqual(await cost(update({ 'if-match': '*' })), { roundTrips: 1, statements: 1 });
  });

  it('update with replace false takes two: one read and one write', async () => {
    const id = await create();
    const work = () => app.send('PUT', app.records('Things', id), { json: { values: values(), replace: false } });
    assert.deepEqual(await cost(work), { roundTrips: 2, statements: 2 });
  });

  it('update with replace false builds on what another node has written', async () => {
    const id = await create();
    const other = await startTestServer({ database });
    const path = `/v1/${app.id}${app.records('Things', id)}`;
    const changed = { values: { [title]: string('by the other node') }, replace: false };
    assert.equal((await other.send('PUT', path, { token: app.admin.token, json: changed })).status, 200);
    await other.close();
    const newCode = string('after the other');
    const { status, body } = await app.send('PUT', app.records('Things', id), {
      json: { values: { [code]: newCode }, replace: false },
    });
    assert.equal(status, 200);
    assert.deepEqual(body.values, { [title]: string('by the other node'), [code]: newCode });
  });

  it('a batch of 100 updates takes one, and three if it builds on the stored values', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, create));
    const work = (replace: boolean) => () =>
      app.send('PUT', app.records('Things'), { json: ids.map((id) => ({ id, values: values(), replace })) });
    assert.deepEqual(await cost(work(true)), { roundTrips: 1, statements: 1 });
    assert.equal((await cost(work(false))).roundTrips, 3);
  });

  const keyed = () => ({ values: { [app.ids.Keyed!.Key!]: string(`key ${++codes}`) } });
  const upsert = (json: unknown) => app.send('PATCH', `${app.records('Keyed')}/upsert/${app.ids.Keyed!.Key}`, { json });

  it('upsert takes two: one read and one write', async () => {
    assert.deepEqual(await cost(() => upsert(keyed())), { roundTrips: 2, statements: 2 });
    const known = keyed();
    await upsert(known);
    assert.deepEqual(await cost(() => upsert(known)), { roundTrips: 2, statements: 2 });
  });

  it('a batch of 100 upserts takes three, whatever it meets', async () => {
    const batch = (size: number) => Array.from({ length: size }, keyed);
    assert.equal((await cost(() => upsert(batch(100)))).roundTrips, 3);
    const known = batch(100);
    await upsert(known);
    assert.equal((await cost(() => upsert(known))).roundTrips, 3);
    assert.equal((await cost(() => upsert([...known.slice(50), ...batch(50)]))).roundTrips, 3);
  });

  it('delete takes one', async () => {
    const ids = await Promise.all(Array.from({ length: RUNS }, create));
    const work = () => app.send('DELETE', app.records('Things', ids.pop()!));
    assert.deepEqual(await cost(work), { roundTrips: 1, statements: 1 });
  });

  it('Basic authentication takes no more', async () => {
    const id = await create();
    const authorization = `Basic ${Buffer.from(`${app.admin.id}:${app.admin.password}`).toString('base64')}`;
    const work = () => server.send('GET', `/v1/${app.id}${app.records('Things', id)}`, { headers: { authorization } });
    assert.deepEqual(await cost(work), { roundTrips: 1, statements: 1 });
  });
});
