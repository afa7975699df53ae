// The lists of users, of the management and of shared users: order, pages, and what searches find.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { foldText } from '../../src/domain/search/fold.ts';
import { assertRefused, openPlace, openScene, type Place, RIGHTS, type Scene } from './scene.ts';

/** In the order of code points: not of any language, and not of UTF-16. */
const NAMES = ['100%', 'A_B', 'AxB', 'Zoë', 'straße', 'zoë', 'İzmir', 'ΣΊΣΥΦΟΣ', '～', '\u{1F989} owl', '花子'].sort(
  (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)),
);

interface Listed {
  readonly id: string;
  readonly name: string;
}
const namesIn = (users: Listed[]): string[] => users.map(({ name }) => name);

describe('the lists of people', () => {
  let server: Scene;
  let plain: Place;
  let teams: Place;
  let sharing: Place;
  before(async () => {
    server = await openScene();
    plain = await openPlace(server, { sharedUsersModeEnabled: false, teamsModeEnabled: false });
    teams = await openPlace(server, { sharedUsersModeEnabled: false, teamsModeEnabled: true });
    sharing = await openPlace(server, { sharedUsersModeEnabled: true, teamsModeEnabled: false });
    // Straight into the tables where nothing but the name matters: hashing passwords takes its time.
    for (const [index, name] of NAMES.entries()) await insert(plain, `u000000${index.toString(36)}`, name);
  });
  after(() => server.close());

  /** As the operator would have made it, but without a password. */
  async function insert(place: Place, id: string, name: string, more: { email?: string; team?: string } = {}) {
    const { email = `${id}@example.com`, team } = more;
    const columns = [id, name, email, team ?? null, foldText(name), foldText(email), foldText(team ?? '')];
    await server.sql(
      `insert into app_${place.id}.users (id, name, email, team, admin, api_access, management_api_access,
         organization_management_api_access, profile, disabled, created_at, name_folded, email_folded, profile_folded,
         team_folded, session_epoch)
       values ($1, $2, $3, $4, false, true, false, false, 'Standard', false, now(), $5, $6, 'standard', $7, 0)`,
      columns,
    );
  }

  const listed = async (place: Place, path: string, query: Record<string, string | number> = {}) => {
    const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const reply = await place.send('GET', `${path}?${pairs.join('&')}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body as Listed[];
  };
  const searched = async (place: Place, path: string, search: string) => namesIn(await listed(place, path, { search }));

  it('are in the order of code points, and hold exactly ID and name for everybody', async () => {
    const users = await listed(plain, '/users');
    const expected = [...NAMES, 'Admin'].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(namesIn(users), expected);
    for (const user of users) assert.deepEqual(Object.keys(user), ['id', 'name']);
    assert.deepEqual(namesIn(await listed(plain, '/management/users')), expected);
  });

  it('are walked page by page without gap or overlap', async () => {
    for (const path of ['/users', '/management/users']) {
      const all = namesIn(await listed(plain, path));
      for (const limit of [1, 5, 100]) {
        const walked = [];
        for (let skip = 0; skip < all.length; skip += limit)
          walked.push(...(await listed(plain, path, { skip, limit })));
        assert.deepEqual(namesIn(walked), all);
      }
      assert.deepEqual(await listed(plain, path, { skip: all.length }), []);
      assert.deepEqual(await listed(plain, path, { skip: Number.MAX_SAFE_INTEGER }), []);
    }
  });

  it('refuse pages that cannot be', async () => {
    for (const path of ['/users', '/management/users']) {
      for (const query of [
        'limit=0',
        'limit=101',
        'limit=-1',
        'limit=1.5',
        'limit=',
        'skip=-1',
        'skip=x',
        'skip=1e3',
      ]) {
        assertRefused(await plain.send('GET', `${path}?${query}`), 400, 'INVALID_PARAMETER');
      }
      assertRefused(await plain.send('GET', `${path}?search=%00`), 400, 'INVALID_PARAMETER');
      assertRefused(await plain.send('GET', `${path}?search=%ff`), 400, 'INVALID_PARAMETER');
      assert.deepEqual(await listed(plain, path, { search: 'x'.repeat(30_000) }), []);
    }
  });

  it('for everybody are searched by parts of the name as they are written', async () => {
    const search = (text: string) => searched(plain, '/users', text);
    assert.deepEqual(await search('Zo'), ['Zoë']);
    assert.deepEqual(await search('oë'), ['Zoë', 'zoë']);
    assert.deepEqual(await search('zOë'), []);
    assert.deepEqual(await search('%'), ['100%']);
    assert.deepEqual(await search('_'), ['A_B']);
    assert.deepEqual(await search('\\'), []);
    assert.deepEqual(await search('花'), ['花子']);
    assert.deepEqual(await search('\u{1F989}'), ['\u{1F989} owl']);
    assert.deepEqual(await search("'; drop table users; --"), []);
    assert.deepEqual(await search('example.com'), [], 'addresses are not for everybody');
    assert.equal((await search('')).length, NAMES.length + 1);
  });

  it('of the management are searched whatever the case', async () => {
    const search = (text: string) => searched(plain, '/management/users', text);
    assert.deepEqual(await search('ZOË'), ['Zoë', 'zoë']);
    assert.deepEqual(await search('Zoe\u0308'), ['Zoë', 'zoë'], 'however the letter is put together');
    assert.deepEqual(await search('σίσυφος'), ['ΣΊΣΥΦΟΣ']);
    assert.deepEqual(await search('STRASSE'), [], 'a letter stands for one letter');
    assert.deepEqual(await search('STRAẞE'), ['straße']);
    assert.deepEqual(await search('İZMİR'), [], 'İ is no form of i without a language');
    assert.deepEqual(await search('İZMIR'), ['İzmir']);
    assert.deepEqual(await search('%'), ['100%']);
    assert.deepEqual(await search('a_b'), ['A_B']);
    assert.deepEqual(await search('U0000003@EXAMPLE'), [NAMES[3]]);
    assert.equal((await search('STANDARD')).length, NAMES.length + 1, 'the profile');
    assert.deepEqual(await search('tokyo'), []);
  });

  it('find teams while there are teams', async () => {
    await insert(teams, 'u0000001', 'Hanako', { team: 'Tokyo' });
    await insert(teams, 'u0000002', 'Taro', { team: 'Osaka' });
    assert.deepEqual(await searched(teams, '/management/users', 'OSA'), ['Taro']);
    const publish = async (teamsModeEnabled: boolean) => {
      const document = (await server.operator('GET', `/applications/${teams.id}`)).body;
      const reply = await server.operator('POST', '/applications', { ...document, teamsModeEnabled });
      assert.equal(reply.status, 200, reply.text);
    };
    await publish(false);
    assert.deepEqual(await searched(teams, '/management/users', 'OSA'), []);
    const [hidden] = await listed(teams, '/management/users', { search: 'taro' });
    assert.ok(hidden !== undefined && !('team' in hidden) && !('teamLeader' in hidden));
    await insert(teams, 'u0000003', 'Before teams');
    await publish(true);
    assert.deepEqual(await searched(teams, '/management/users', 'OSA'), ['Taro']);
    const [teamless] = await listed(teams, '/management/users', { search: 'before' });
    assert.ok(teamless !== undefined && !('team' in teamless));
    assert.equal((teamless as unknown as { teamLeader: boolean }).teamLeader, false);
  });

  it('leave out who was deleted, and show who is disabled', async () => {
    const person = await teams.add('Leaving');
    const update = teams.userUpdate({ disabled: true });
    assert.equal((await teams.send('PUT', `/management/users/${person.id}`, { json: update })).status, 200);
    for (const path of ['/users', '/management/users'])
      assert.deepEqual(await searched(teams, path, 'Leaving'), ['Leaving']);
    assert.equal((await teams.send('DELETE', `/management/users/${person.id}`)).status, 204);
    for (const path of ['/users', '/management/users']) assert.deepEqual(await searched(teams, path, 'Leaving'), []);
    assertRefused(await teams.send('GET', `/management/users/${person.id}`), 404, 'USER_NOT_FOUND');
  });

  it('of shared users are the organization’s own, searched by name and address', async () => {
    const path = '/management/sharedUsers';
    const addShared = (organization: string, id: number, name: string, email: string) =>
      server.sql(
        `insert into cartulary.shared_users (id, organization, name, email, disabled, session_epoch, created_at,
           name_folded, email_folded) values ($1, $2, $3, $4, false, 0, now(), lower($3), lower($4))`,
        [`u${String(id).padStart(26, '0')}`, organization, name, email],
      );
    await server.operator('PUT', '/organizations/Strangers', { singleSignOn: null });
    await addShared('Strangers', 1, 'Stranger', 'stranger@example.com');
    for (const [index, name] of ['zeta', 'Alpha', '100%'].entries()) {
      await addShared('Acme', 10 + index, name, `Mail${index}@example.com`);
    }
    const all = await listed(sharing, path);
    assert.deepEqual(namesIn(all), ['100%', 'Admin', 'Alpha', 'zeta']);
    for (const user of all) assert.deepEqual(Object.keys(user), ['id', 'name', 'email', 'disabled']);
    assert.deepEqual(namesIn(await listed(sharing, path, { skip: 1, limit: 2 })), ['Admin', 'Alpha']);
    assert.deepEqual(await searched(sharing, path, 'ALPHA'), ['Alpha']);
    assert.deepEqual(await searched(sharing, path, 'mail2@'), ['100%']);
    assert.deepEqual(await searched(sharing, path, '%'), ['100%']);
    assert.deepEqual(await searched(sharing, path, 'stranger'), []);
    assert.deepEqual(namesIn(await listed(sharing, '/management/users')), ['Admin'], 'only who is active here');
    assert.deepEqual(namesIn(await listed(sharing, '/users')), ['Admin']);
    assertRefused(await sharing.send('GET', `${path}?limit=101`), 400, 'INVALID_PARAMETER');
    const foreign = `/management/sharedUsers/u${'1'.padStart(26, '0')}`;
    const update = { email: 'mine@example.com', disabled: true };
    for (const reply of [
      await sharing.send('GET', foreign),
      await sharing.send('PUT', foreign, { json: update }),
      await sharing.send('DELETE', foreign),
    ]) {
      assertRefused(reply, 404, 'SHARED_USER_NOT_FOUND');
    }
    const activated = await sharing.send('POST', '/management/users', { json: { name: 'Stranger', ...RIGHTS } });
    assertRefused(activated, 400, 'UNKNOWN_SHARED_USER');
  });
});
