// What the applications keep of a shared user follows it, also when some of them fail, are slow, or many wait.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { Database } from '../../src/store/database/database.ts';
import { claimUnsettled, postponed } from '../../src/store/people/shared-users.ts';
import { onTable } from '../support/nodes.ts';
import { until } from '../support/until.ts';
import { addSharedUser, openPlace, openScene, PASSWORD, type Place, type Scene } from './scene.ts';

const SHARING = { sharedUsersModeEnabled: true, teamsModeEnabled: false };

describe('the settling of shared users', () => {
  let server: Scene;
  /** In the order of their identifiers. */
  let places: Place[];
  before(async () => {
    server = await openScene();
    places = [];
    for (let index = 0; index < 6; index++) places.push(await openPlace(server, SHARING, { name: `Place ${index}` }));
    places.sort((one, other) => (one.id < other.id ? -1 : 1));
  });
  after(() => server.close());

  let people = 0;
  async function activeEverywhere(): Promise<string> {
    const name = `Person ${++people}`;
    const id = await addSharedUser(server, 'Acme', { name, email: 'old@example.com', password: PASSWORD });
    for (const place of places) await place.add(name);
    return id;
  }
  const move = (id: string, email: string) =>
    places[0]!.send('PUT', `/management/sharedUsers/${id}`, { json: { email, disabled: false } });
  const emailsOf = (id: string) =>
    Promise.all(
      places.map(async (place) => {
        const rows = await server.sql(`select email from app_${place.id}.users where shared_user_id = $1`, [id]);
        return rows[0]![0];
      }),
    );
  const isSettled = async (id: string) =>
    (await server.sql('select unsettled_since is null from cartulary.shared_users where id = $1', [id]))[0]![0] ===
    true;

  it('goes on with the others when as many applications fail as are tried at once', async () => {
    const id = await activeEverywhere();
    const broken = places.slice(1, 6);
    for (const place of broken) {
      await server.sql(`create function app_${place.id}.refuse() returns trigger language plpgsql
        as $$ begin raise exception 'broken'; end $$`);
      const trigger = `create trigger refuse before update on %s for each row execute function app_${place.id}.refuse()`;
      await onTable(server.database, `app_${place.id}.users`, trigger);
    }
    assert.equal((await move(id, 'new@example.com')).status, 200);
    assert.deepEqual(await emailsOf(id), ['new@example.com', ...broken.map(() => 'old@example.com')]);
    assert.equal(await isSettled(id), false);
    for (const place of broken) await onTable(server.database, `app_${place.id}.users`, 'drop trigger refuse on %s');
    await until('the rows to follow', () => isSettled(id));
    assert.deepEqual(
      await emailsOf(id),
      places.map(() => 'new@example.com'),
    );
  });

  it('is not waited for longer than a moment', async () => {
    const id = await activeEverywhere();
    const slow = new pg.Client(server.database.connection);
    await slow.connect();
    await slow.query('begin');
    await slow.query(`select from app_${places[2]!.id}.users where shared_user_id = $1 for update`, [id]);
    const began = performance.now();
    const reply = await move(id, 'late@example.com');
    assert.equal(reply.status, 200, reply.text);
    const waited = performance.now() - began;
    assert.ok(waited >= 1_900 && waited < 10_000, `${waited} ms`);
    await slow.query('commit');
    await slow.end();
    await until('it to be settled', () => isSettled(id));
    assert.equal((await emailsOf(id))[2], 'late@example.com');
  });

  it('takes each once, and those that failed behind the others', async () => {
    const { connection } = server.database;
    const database = Database.open({ connection, connectionsMax: 2, onConnectionError: () => undefined });
    try {
      // Ahead of the present, so that the server’s own job takes none of them.
      const at = (minutes: number) => new Date(Date.UTC(2300, 0, 1, 0, minutes)).toISOString();
      const ids = [];
      for (const minutes of [2, 1, 3]) {
        const body = { name: `Marked ${minutes}`, email: 'm@example.com', password: PASSWORD };
        const id = await addSharedUser(server, 'Acme', body);
        await server.sql('update cartulary.shared_users set unsettled_since = $2 where id = $1', [id, at(minutes)]);
        ids.push(id);
      }
      const take = (before: number, until: number) =>
        claimUnsettled(database.system, { before: at(before), until: at(until) });
      const first = await take(3, 60);
      assert.equal(first?.id, ids[1], 'the one that waits longest');
      assert.equal((await take(3, 60))?.id, ids[0]);
      assert.equal(await take(3, 60), undefined, 'nobody takes what somebody is at, or what is too young');
      const { text, params } = postponed(first!, at(4));
      await database.system.write(text, params);
      assert.equal((await take(5, 60))?.id, ids[2]);
      assert.equal((await take(5, 60))?.id, ids[1], 'what failed');
      assert.equal((await take(61, 70))?.id, ids[0], 'and what was left by a server that ended');
    } finally {
      await database.close();
    }
  });
});
