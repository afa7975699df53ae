// Nobody shuts themselves out, and somebody who can run the application always stays, also when several change each
// other at the same moment.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  addSharedUser,
  assertRefused,
  EVERY_RIGHT,
  type Member,
  openPlace,
  openScene,
  PASSWORD,
  type Place,
  type Scene,
} from '../people/scene.ts';
import type { Reply } from '../support/server.ts';

const ROUNDS = 40;
const PLAIN = { sharedUsersModeEnabled: false, teamsModeEnabled: false };
const SHARING = { sharedUsersModeEnabled: true, teamsModeEnabled: false };
const ADMIN = { admin: true, managementApiAccess: true, organizationManagementApiAccess: true };
const DEMOTED = { admin: false, managementApiAccess: false, organizationManagementApiAccess: false };

let server: Scene;
before(async () => {
  server = await openScene();
});
after(() => server.close());

const pathOf = ({ id }: Pick<Member, 'id'>) => `/management/users/${id}`;
const put = (place: Place, user: Member, more: object, by: Member = place.admin) =>
  place.send('PUT', pathOf(user), { json: place.userUpdate(more), token: by.token });
const remove = (place: Place, user: Member, by: Member) => place.send('DELETE', pathOf(user), { token: by.token });
const running = async ({ id }: Place): Promise<number> =>
  Number(
    (
      await server.sql(`select count(*)::int from app_${id}.users
        where admin and management_api_access and not disabled and deleted_at is null`)
    )[0]![0],
  );

describe('the last who can run an application', () => {
  for (const modes of [PLAIN, SHARING]) {
    it(`stays ${modes.sharedUsersModeEnabled ? 'in shared-users mode' : 'without shared users'}`, async () => {
      const place = await openPlace(server, modes, { organization: `Alone ${modes.sharedUsersModeEnabled}` });
      const helper = await place.add('Helper', { ...EVERY_RIGHT, admin: false });
      const stored = await place.stored();
      for (const more of [{ ...ADMIN, admin: false }, DEMOTED, { ...ADMIN, disabled: true }]) {
        for (const by of [place.admin, helper]) {
          assertRefused(await put(place, place.admin, more, by), 400, 'FORBIDDEN_SELF_CHANGE');
        }
      }
      if (!modes.sharedUsersModeEnabled) {
        for (const by of [place.admin, helper]) {
          assertRefused(await remove(place, place.admin, by), 400, 'FORBIDDEN_SELF_CHANGE');
        }
      }
      assert.deepEqual(await place.stored(), stored);
      await put(place, helper, { ...ADMIN, disabled: true });
      assertRefused(await put(place, place.admin, DEMOTED), 400, 'FORBIDDEN_SELF_CHANGE');
      await put(place, helper, ADMIN);
      assert.equal((await put(place, place.admin, DEMOTED)).status, 200, 'one of two may go');
      assertRefused(await put(place, helper, DEMOTED, helper), 400, 'FORBIDDEN_SELF_CHANGE');
    });
  }

  it('is not one whose shared user is disabled', async () => {
    const place = await openPlace(server, SHARING, { organization: 'Away' });
    const away = await place.add('Away', EVERY_RIGHT);
    await server.sql(`update cartulary.shared_users set disabled = true where organization = 'Away' and name = 'Away'`);
    assertRefused(await put(place, place.admin, DEMOTED), 400, 'FORBIDDEN_SELF_CHANGE');
    assert.equal((await put(place, away, DEMOTED)).status, 200);
  });

  it('is left when two take each other’s rights, disable or delete each other at the same moment', async () => {
    const place = await openPlace(server, PLAIN);
    const names = [place.admin, await place.add('Other', EVERY_RIGHT)] as const;
    const acts: ((user: Member, by: Member) => Promise<Reply>)[] = [
      (user, by) => put(place, user, DEMOTED, by),
      (user, by) => put(place, user, { ...ADMIN, disabled: true }, by),
      (user, by) => remove(place, user, by),
    ];
    let collisions = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const [a, b] = names;
      const act = acts[round % acts.length]!;
      const replies = await Promise.all([act(a, b), act(b, a)]);
      const done = replies.filter(({ status }) => status === 200 || status === 204).length;
      for (const { status, text } of replies) assert.ok([200, 204, 400, 401, 403].includes(status), text);
      collisions += replies.filter(({ status }) => status === 400).length;
      assert.ok(done === 1, replies.map(({ text }) => text).join(' '));
      assert.equal(await running(place), 1);
      await server.sql(`update app_${place.id}.users set admin = true, management_api_access = true,
        organization_management_api_access = true, disabled = false, deleted_at = null`);
      await server.sql(`select pg_notify('cartulary', $1)`, [`application ${place.id}`]);
      await heard(place, names);
    }
    assert.ok(collisions > 0, 'the two never met');
  });

  /** Until the server has forgotten what it knew before the rows were set back. */
  async function heard(place: Place, users: readonly Member[]): Promise<void> {
    for (const { token } of users) {
      for (
        let tries = 0;
        (await place.send('GET', '/management/sharedUsers', { token })).body.code !== 'FEATURE_DISABLED';
      ) {
        assert.ok(++tries < 500, 'the server hears nothing');
      }
    }
  }

  it('is left when many give up their rights at the same moment', async () => {
    const place = await openPlace(server, PLAIN);
    const all = [place.admin];
    for (let index = 0; index < 5; index++) all.push(await place.add(`Admin ${index}`, EVERY_RIGHT));
    const replies = await Promise.all(all.map((user) => put(place, user, DEMOTED, user)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 5);
    assert.equal(await running(place), 1);
  });
});

describe('one’s own shared user', () => {
  it('is neither disabled nor deleted by oneself, and may be changed', async () => {
    const place = await openPlace(server, SHARING, { organization: 'Own' });
    await addSharedUser(server, 'Own', { name: 'Other', email: 'o@example.com', password: PASSWORD });
    const all = (await place.send('GET', '/management/sharedUsers')).body as { id: string; name: string }[];
    const own = all.find(({ name }) => name === 'Admin')!;
    const path = `/management/sharedUsers/${own.id}`;
    const stored = await place.stored();
    const json = { email: 'new@example.com', disabled: true };
    assertRefused(await place.send('PUT', path, { json }), 400, 'FORBIDDEN_SELF_CHANGE');
    assertRefused(await place.send('DELETE', path), 400, 'FORBIDDEN_SELF_CHANGE');
    assert.deepEqual(await place.stored(), stored);
    assert.equal((await place.send('PUT', path, { json: { ...json, disabled: false } })).status, 200);
  });
});
