// Shared users over several applications and two servers: what changes of one at the organization counts in every
// application at once, and what the applications keep of it follows, whatever ends meanwhile.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { string } from '../support/application.ts';
import { fetchChecked } from '../support/http-client.ts';
import { sendTo } from '../support/server.ts';
import { until } from '../support/until.ts';
import {
  addSharedUser,
  assertRefused,
  basic,
  type Member,
  openPlace,
  openScene,
  PASSWORD,
  type Place,
  RIGHTS,
  type Scene,
} from './scene.ts';

const SHARING = { sharedUsersModeEnabled: true, teamsModeEnabled: false };
const COLLECTIONS = [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }];
/** What is promised is a second; the rest is for a machine that runs many tests at once. */
const AT_ONCE_MS = 3_000;

describe('shared users', () => {
  let a: Scene;
  let b: Scene;
  let places: Place[];
  let people = 0;
  before(async () => {
    a = await openScene();
    b = await openScene({ database: a.database });
    places = [];
    for (let index = 0; index < 3; index++) {
      places.push(await openPlace(a, SHARING, { name: `Place ${index}`, collections: COLLECTIONS }));
    }
    await openPlace(a, { ...SHARING, sharedUsersModeEnabled: false }, { name: 'Without' });
  });
  after(async () => {
    await b.close();
    await a.close();
  });

  interface Shared {
    readonly id: string;
    readonly name: string;
    /** One for each application. */
    readonly members: readonly Member[];
  }

  async function activeEverywhere(): Promise<Shared> {
    const name = `Person ${++people}`;
    const id = await addSharedUser(a, 'Acme', { name, email: 'old@example.com', password: PASSWORD });
    const members = [];
    for (const place of places) members.push(await place.add(name));
    return { id, name, members };
  }

  const path = ({ id }: Shared) => `/management/sharedUsers/${id}`;
  const put = (shared: Shared, more: object = {}) =>
    places[0]!.send('PUT', path(shared), { json: { email: 'old@example.com', disabled: false, ...more } });
  /** A cookie for each application. */
  const signIn = ({ members }: Shared) =>
    Promise.all(
      members.map(async ({ id: userId }, index) => {
        const reply = await places[index]!.send('POST', '/session', { json: { userId, password: PASSWORD } });
        assert.equal(reply.status, 200, reply.text);
        return reply.headers.get('set-cookie')?.split(';')[0] ?? '';
      }),
    );
  const sessionsAnswer = async (cookies: readonly string[]): Promise<string> => {
    const replies = await Promise.all(
      [a, b].flatMap(({ address }) =>
        cookies.map((cookie, index) =>
          sendTo(address, 'GET', `/v1/${places[index]!.id}/session`, { headers: { cookie } }),
        ),
      ),
    );
    return [...new Set(replies.map(({ status }) => status))].join();
  };
  /** What tokens and passwords of it are answered with everywhere, on both servers. */
  const answers = async ({ members }: Shared, password = PASSWORD): Promise<Set<number>> => {
    const replies = await Promise.all(
      [a, b].flatMap(({ address }) =>
        members.flatMap(({ id, token }, index) =>
          [`Bearer ${token}`, basic(id, password)].map((authorization) =>
            sendTo(address, 'GET', `/v1/${places[index]!.id}`, { headers: { authorization } }),
          ),
        ),
      ),
    );
    return new Set(replies.map(({ status }) => status));
  };
  const everywhere = async (shared: Shared, status: number, password?: string) =>
    [...(await answers(shared, password))].join() === String(status);
  const rowsOf = async ({ id }: Shared) =>
    (
      await Promise.all(
        places.map((place) =>
          a.sql(
            `select email, email_folded, deleted_at is not null from app_${place.id}.users where shared_user_id = $1`,
            [id],
          ),
        ),
      )
    ).flat();
  async function exported({ id, admin }: Place): Promise<{ user: object; extra: Record<string, string> }[]> {
    const [start, end] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
    const path = `/v1/${id}/management/userActivityLogs?startDate=${start}&endDate=${end}`;
    const reply = await fetchChecked(a.address + path, { headers: { authorization: `Bearer ${admin.token}` } });
    assert.equal(reply.status, 200);
    const lines = (await reply.text()).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line));
  }
  const unsettled = async ({ id }: Shared) =>
    (await a.sql('select unsettled_since is not null from cartulary.shared_users where id = $1', [id]))[0]![0];

  async function withinASecond(what: string, happened: () => Promise<boolean>): Promise<void> {
    const since = performance.now();
    await until(what, happened);
    assert.ok(performance.now() - since < AT_ONCE_MS, `${what} took ${performance.now() - since} ms`);
  }

  it('that are disabled are out of every application at once, on every server, and come back', async () => {
    const shared = await activeEverywhere();
    assert.ok(await everywhere(shared, 200));
    const cookies = await signIn(shared);
    assert.equal(await sessionsAnswer(cookies), '200');
    const reply = await put(shared, { disabled: true });
    assert.deepEqual(reply.body, { id: shared.id, name: shared.name, email: 'old@example.com', disabled: true });
    await withinASecond('everything to be refused', () => everywhere(shared, 401));
    await withinASecond('all sessions to end', async () => (await sessionsAnswer(cookies)) === '401');
    for (const [index, place] of places.entries()) {
      const user = await place.send('GET', `/management/users/${shared.members[index]!.id}`);
      assert.equal(user.body.disabled, false, 'that is the application’s own');
    }
    assert.equal((await put(shared)).status, 200);
    await withinASecond('everything to pass', () => everywhere(shared, 200));
    assert.equal(await sessionsAnswer(cookies), '401', 'what has ended does not come back');
    const [row] = await a.sql('select session_epoch from cartulary.shared_users where id = $1', [shared.id]);
    assert.deepEqual(row, [1], 'disabling ends sessions, enabling does not');
  });

  it('have one password in every application', async () => {
    const shared = await activeEverywhere();
    assert.ok(await everywhere(shared, 200));
    assert.equal((await put(shared, { password: 'Another-Passw0rd' })).status, 200);
    await withinASecond('the new password to count', () => everywhere(shared, 200, 'Another-Passw0rd'));
    assert.deepEqual(await answers(shared), new Set([200, 401]), 'tokens stay, the old password went');
  });

  it('have one address in every application', async () => {
    const shared = await activeEverywhere();
    assert.equal((await put(shared, { email: 'Neu@Example.com' })).status, 200);
    assert.deepEqual(
      await rowsOf(shared),
      places.map(() => ['Neu@Example.com', 'neu@example.com', false]),
    );
    assert.equal(await unsettled(shared), false);
    for (const [index, place] of places.entries()) {
      const found = (await place.send('GET', '/management/users?search=NEU@')).body;
      assert.deepEqual(
        found.map(({ id, email }: { id: string; email: string }) => [id, email]),
        [[shared.members[index]!.id, 'Neu@Example.com']],
      );
    }
    const late = await openPlace(a, SHARING, { name: 'Late' });
    assert.equal(
      (await late.send('POST', '/management/users', { json: { name: shared.name, ...RIGHTS } })).body.email,
      'Neu@Example.com',
    );
  });

  it('that are deleted are deactivated everywhere, and what they did keeps their name', async () => {
    const shared = await activeEverywhere();
    const [place] = places as [Place];
    const [member] = shared.members as [Member];
    const { id: collectionId, columns } = (await place.send('GET', '')).body.collections[0];
    const records = `/collections/${collectionId}/records`;
    const values = { [columns[0].id]: string('Kept') };
    const record = await place.send('POST', records, { json: { values }, token: member.token });
    assert.equal(record.status, 200, record.text);
    assert.ok(await everywhere(shared, 200));
    const before = await Promise.all(places.map(async (each) => (await each.stored()).entries));
    assert.equal((await place.send('DELETE', path(shared))).status, 204);
    await withinASecond('everything to be refused', () => everywhere(shared, 401));
    const entries = await Promise.all(places.map(async (each) => (await each.stored()).entries));
    assert.deepEqual(
      entries.map((count, index) => count - before[index]!),
      [1, 0, 0],
      'told once, where it was done',
    );
    assert.deepEqual((await place.log()).at(-1)!.extra, { sharedUserId: shared.id });
    assert.deepEqual(
      await rowsOf(shared),
      places.map(() => ['old@example.com', 'old@example.com', true]),
    );
    assert.equal(await unsettled(shared), false);
    for (const each of places) {
      assert.deepEqual((await each.send('GET', `/users?search=${encodeURIComponent(shared.name)}`)).body, []);
    }
    const kept = (await place.send('GET', `${records}/${record.body.id}`)).body;
    assert.deepEqual(kept.createdBy, { id: member.id, name: shared.name });
    const lines = await exported(place);
    const made = lines.find(({ extra }) => extra.recordId === record.body.id);
    assert.deepEqual(made?.user, { id: member.id, name: shared.name });
    for (const method of ['GET', 'DELETE'])
      assertRefused(await place.send(method, path(shared)), 404, 'SHARED_USER_NOT_FOUND');
    assertRefused(await put(shared), 404, 'SHARED_USER_NOT_FOUND');
    const again = await place.send('POST', '/management/users', { json: { name: shared.name, ...RIGHTS } });
    assertRefused(again, 400, 'UNKNOWN_SHARED_USER');
    const body = { name: shared.name, email: 'new@example.com', password: PASSWORD };
    const made2 = await place.send('POST', '/management/sharedUsers', { json: body });
    assert.equal(made2.status, 200, made2.text);
    const activated = await place.send('POST', '/management/users', { json: { name: shared.name, ...RIGHTS } });
    assert.equal(activated.status, 200, activated.text);
    assert.notEqual(activated.body.id, member.id);
  });

  it('are finished by another server when the one that changed them ends in between', async () => {
    const moved = await activeEverywhere();
    const gone = await activeEverywhere();
    // What the transaction leaves when nothing comes behind it.
    await a.sql(
      `update cartulary.shared_users set email = 'moved@example.com', email_folded = 'moved@example.com',
         unsettled_since = date_trunc('milliseconds', now()) where id = $1`,
      [moved.id],
    );
    await a.sql(
      `update cartulary.shared_users set deleted_at = now(), unsettled_since = date_trunc('milliseconds', now()) where id = $1`,
      [gone.id],
    );
    await a.sql(`select pg_notify('cartulary', 'everything')`);
    await until('it to be out', () => everywhere(gone, 401));
    await until('the rows to follow', async () => {
      const rows = [...(await rowsOf(moved)), ...(await rowsOf(gone))];
      return rows.filter(([email, , deleted]) => email === 'moved@example.com' || deleted).length === rows.length;
    });
    await until('the marks to go', async () => !(await unsettled(moved)) && !(await unsettled(gone)));
  });

  it('leave nobody behind who is activated while they are deleted', async () => {
    for (let round = 0; round < 8; round++) {
      const name = `Racing ${round}`;
      const id = await addSharedUser(a, 'Acme', { name, email: 'r@example.com', password: PASSWORD });
      const replies = await Promise.all([
        places[0]!.send('DELETE', `/management/sharedUsers/${id}`),
        places[1]!.send('POST', '/management/users', { json: { name, ...RIGHTS } }),
        places[2]!.send('POST', '/management/users', { json: { name, ...RIGHTS } }),
      ]);
      assert.equal(replies[0]?.status, 204, replies[0]?.text);
      for (const { status, body } of replies.slice(1)) assert.ok(status === 200 || body.code === 'UNKNOWN_SHARED_USER');
      for (const place of places) {
        assert.deepEqual((await place.send('GET', `/users?search=${encodeURIComponent(name)}`)).body, []);
      }
    }
  });

  it('end with the latest of many addresses in every application', async () => {
    const shared = await activeEverywhere();
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => put(shared, { email: `mail${index}@example.com` })),
    );
    for (const reply of replies) assert.equal(reply.status, 200, reply.text);
    const [row] = await a.sql('select email from cartulary.shared_users where id = $1', [shared.id]);
    await until('the rows to agree', async () => (await rowsOf(shared)).every(([email]) => email === row![0]));
    await until('the mark to go', async () => !(await unsettled(shared)));
  });
});
