// Team mode is switched by publishing while users are there, created and updated: every body is read by the mode that
// holds when it is stored.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Reply } from '../support/server.ts';
import { MEMBERSHIP, openPlace, openScene, type Place, type Scene } from './scene.ts';

const SWITCHES = 6;

describe('switching team mode', () => {
  let server: Scene;
  let place: Place;
  before(async () => {
    server = await openScene();
    place = await openPlace(server, { sharedUsersModeEnabled: false, teamsModeEnabled: false });
  });
  after(() => server.close());

  const publish = async (teamsModeEnabled: boolean) => {
    const document = (await server.operator('GET', `/applications/${place.id}`)).body;
    const reply = await server.operator('POST', '/applications', { ...document, teamsModeEnabled, teams: ['Tokyo'] });
    assert.equal(reply.status, 200, reply.text);
  };

  it('works with users there, who have no team at first and keep theirs meanwhile', async () => {
    const person = await place.add('There already');
    const path = `/management/users/${person.id}`;
    await publish(true);
    const before = (await place.send('GET', path)).body;
    assert.deepEqual([before.team, before.teamLeader], [undefined, false]);
    const joined = await place.send('PUT', path, { json: place.userUpdate({ ...MEMBERSHIP, teamLeader: true }) });
    assert.deepEqual([joined.body.team, joined.body.teamLeader], [{ name: 'Tokyo' }, true]);
    await publish(false);
    assert.ok(!('team' in (await place.send('GET', path)).body));
    const { text } = await place.send('PUT', path, { json: place.userUpdate({ admin: true }) });
    assert.ok(!text.includes('team'), text);
    await publish(true);
    const after = (await place.send('GET', path)).body;
    assert.deepEqual([after.team, after.teamLeader], [{ name: 'Tokyo' }, true]);
    await publish(false);
  });

  it('refuses or takes each body by one of the modes, while it happens', async () => {
    const person = await place.add('Updated');
    let switching = true;
    const answers = new Map<string, number>();
    const count = ({ status, body }: Reply, teams: boolean) => {
      const answer = `${teams ? 'with' : 'without'} ${status} ${body.code ?? ('teamLeader' in body ? 'team' : 'plain')}`;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    };
    const writing = [true, false].map(async (teams) => {
      const more = teams ? MEMBERSHIP : {};
      for (let turn = 0; switching && turn < 5_000; turn++) {
        count(await place.send('PUT', `/management/users/${person.id}`, { json: place.userUpdate(more) }), teams);
      }
    });
    for (let turn = 0; turn < SWITCHES; turn++) await publish(turn % 2 === 0);
    switching = false;
    await Promise.all(writing);
    const known = [
      'with 200 team',
      'with 400 UNEXPECTED_PROPERTY',
      'without 200 plain',
      'without 400 MISSING_PROPERTY',
    ];
    assert.deepEqual(
      [...answers.keys()].filter((answer) => !known.includes(answer) && !answer.includes(' 503 ')),
      [],
    );
    assert.ok((answers.get('with 200 team') ?? 0) > 0 && (answers.get('without 200 plain') ?? 0) > 0);
  });
});
