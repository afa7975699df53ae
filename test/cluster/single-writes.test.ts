// Creates, updates and deletes of one record in the form for a Citus cluster: one round trip with their entries, and no entry of
// what is refused. Plain PostgreSQL takes that form too; on a cluster (npm run test:citus) it is tried both ways.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { schemaOf } from '../support/stored-records.ts';
import { tapWire, type WireTap } from '../support/wire-tap.ts';

const RUNS = 6;
const AT_ONCE = 8;
const UNKNOWN = `r${'0'.repeat(26)}`;

const COLLECTIONS = [
  { name: 'Notes', columns: [{ name: 'Title', type: 'String', unique: true }] },
  { name: 'Own', writeAccessType: 'creatorOnly', columns: [{ name: 'Title', type: 'String' }] },
];

/** Without the wire tap where it would not see the statements. */
const WAYS: readonly { way: string; citusDirect?: true; engine?: 'citus' }[] = (await isCitus())
  ? [{ way: 'through the coordinator' }, { way: 'straight to the worker', citusDirect: true }]
  : [{ way: 'on plain PostgreSQL', engine: 'citus' }];

for (const { way, ...how } of WAYS) {
  const isTapped = how.citusDirect === undefined;
  describe(`writes of one record in the form for a cluster, ${way}`, () => {
    let database: TestDatabase;
    let tap: WireTap;
    let server: TestServer;
    let app: TestApplication;

    before(async () => {
      database = await createDatabase();
      tap = await tapWire(database.connection);
      server = await startTestServer({
        database,
        ...how,
        ...(isTapped ? { connection: tap.connection, connectionsMax: 1 } : {}),
      });
      app = await publishApplication(server, { collections: COLLECTIONS });
    });
    after(async () => {
      await server.close();
      await tap.close();
      await database.drop();
    });

    let titles = 0;
    const note = (title = `note ${++titles}`) => ({ values: { [app.ids.Notes!.Title!]: string(title) } });
    const path = (id?: string) => app.records('Notes', id);
    const create = async (): Promise<{ id: string; hash: string }> => {
      const { status, body, text } = await app.send('POST', path(), { json: note() });
      assert.equal(status, 200, text);
      return body;
    };
    const update = (id: string, headers = {}) => app.send('PUT', path(id), { json: note(), headers });
    const remove = (id: string, headers = {}) => app.send('DELETE', path(id), { headers });

    const entriesOf = async (id: string) => {
      const text = `select entry::json ->> 'subType' from ${schemaOf(app.id)}.activity
        where entry::json -> 'extra' ->> 'recordId' = $1 order by id`;
      return (await database.sql(text, [id])).flat();
    };

    it('take one round trip', { skip: !isTapped && 'only the coordinator is behind the tap' }, async () => {
      const ids = await Promise.all(Array.from({ length: RUNS }, create));
      const { id } = await create();
      const least = async (work: (run: number) => Promise<{ status: number; text: string }>) => {
        const trips = [];
        for (let run = 0; run < RUNS; run++) {
          tap.take();
          const { status, text } = await work(run);
          assert.ok(status < 300, text);
          trips.push(tap.take().roundTrips);
        }
        return Math.min(...trips);
      };
      assert.equal(await least(() => app.send('POST', path(), { json: note() })), 1, 'create');
      assert.equal(await least(() => update(id)), 1, 'update');
      assert.equal(await least((run) => remove(ids[run]!.id)), 1, 'delete');
    });

    it('log what they have done', async () => {
      const { id } = await create();
      const updated = await update(id);
      assert.equal(updated.status, 200, updated.text);
      assert.deepEqual((await app.send('GET', path(id))).body, updated.body);
      assert.equal((await remove(id)).status, 204);
      assert.equal((await app.send('GET', path(id))).status, 404);
      assert.deepEqual(await entriesOf(id), ['create', 'update', 'delete']);
    });

    it('say why they are refused, and log nothing then', async () => {
      assert.equal((await update(UNKNOWN)).body.code, 'RECORD_NOT_FOUND');
      assert.equal((await remove(UNKNOWN)).body.code, 'RECORD_NOT_FOUND');
      assert.deepEqual(await entriesOf(UNKNOWN), []);

      const [one, other] = await Promise.all([create(), create()]);
      const ifMatch = { 'if-match': `"${'0'.repeat(one.hash.length)}"` };
      for (const refuse of [update, remove]) {
        const { status, body } = await refuse(one.id, ifMatch);
        assert.deepEqual([status, body.code], [412, 'PRECONDITION_FAILED']);
      }
      const taken = (await app.send('GET', path(other.id))).body.values;
      const duplicated = await app.send('PUT', path(one.id), { json: { values: taken } });
      assert.equal(duplicated.body.code, 'DUPLICATED_VALUES', duplicated.text);
      assert.deepEqual(await entriesOf(one.id), ['create']);
    });

    it('keep to what their caller may write', async () => {
      const body = { values: { [app.ids.Own!.Title!]: string('mine') } };
      const made = await app.send('POST', app.records('Own'), { json: body });
      const stranger = await app.addPerson('Stranger');
      const own = app.records('Own', made.body.id);
      for (const [method, options] of [
        ['PUT', { json: body }],
        ['DELETE', {}],
      ] as const) {
        const reply = await app.send(method, own, { ...options, token: stranger.token });
        assert.equal(reply.status, 403, reply.text);
      }
      assert.deepEqual(await entriesOf(made.body.id), ['create']);
    });

    it('change a record once for each that succeeds, when several want to', async () => {
      for (let round = 0; round < RUNS; round++) {
        const { id, hash } = await create();
        const several = (send: typeof update, headers = {}) =>
          Promise.all(Array.from({ length: AT_ONCE }, () => send(id, headers)));
        const updated = await several(update, { 'if-match': `"${hash}"` });
        const written = updated.filter(({ status }) => status === 200);
        assert.equal(written.length, 1, updated.map(({ status }) => status).join());
        const removed = await several(remove);
        assert.deepEqual(removed.map(({ status }) => status).sort(), [204, ...Array(AT_ONCE - 1).fill(404)]);
        assert.deepEqual(await entriesOf(id), ['create', 'update', 'delete']);
      }
    });
  });
}
