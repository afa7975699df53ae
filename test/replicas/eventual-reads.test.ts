// Gets and lists from a standby, for callers who allow it.

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { string } from '../support/application.ts';
import { scrape } from '../support/metrics.ts';
import { until } from '../support/until.ts';
import { COLUMNS, EVENTUAL, HEADER, isEventual, type Notes, openReplicaScene, type ReplicaScene } from './scene.ts';

describe('reads that a replica may serve', () => {
  let scene: ReplicaScene;
  let notes: Notes;
  let id: string;

  before(async () => {
    scene = await openReplicaScene();
    notes = await scene.publish();
    id = await notes.create('first');
  });
  afterEach(() => scene.resume());
  after(() => scene?.close());

  const served = (rest: string) => until('the replica', async () => isEventual(await notes.read(rest)));

  it('are gets, lists, searches and figures', async () => {
    for (const rest of [`/${id}`, '', '?search=first', '?search=irs', '?skip=0&limit=5&search=Rank%3C5', '/figures']) {
      await served(rest);
    }
    const page = await notes.read('?search=irs');
    assert.deepEqual([isEventual(page), page.body.length], [true, 1]);
    const strong = await notes.send('GET', notes.records('Notes', id), { headers: { [HEADER]: 'strong' } });
    const silent = await notes.send('GET', notes.records('Notes', id));
    assert.deepEqual([strong, silent].map(isEventual), [false, false]);
    assert.ok((await scene.reads('served')) > 6);
  });

  it('show what the replica has, and only to callers who allow it', async () => {
    await served(`/${id}`);
    await scene.pause();
    await notes.rename(id, 'changed elsewhere', scene.otherNode);
    const old = await notes.read(`/${id}`);
    assert.deepEqual([isEventual(old), notes.titleOf(old)], [true, 'first']);
    const now = await notes.send('GET', notes.records('Notes', id));
    assert.equal(notes.titleOf(now), 'changed elsewhere');
    await scene.resume();
    await until('the change', async () => notes.titleOf(await notes.read(`/${id}`)) === 'changed elsewhere');
    await served(`/${id}`);
  });

  it('never lack what was written through the same server, and other applications lose nothing by that', async () => {
    const others = await scene.publish();
    const theirs = await others.create('theirs');
    await until('the replica', async () => isEventual(await others.read(`/${theirs}`)));
    await scene.pause();
    const added = await notes.create('added');
    const reply = await notes.read(`/${added}`);
    assert.deepEqual([isEventual(reply), notes.titleOf(reply)], [false, 'added']);
    assert.equal((await notes.read('?search=added')).body.length, 1);
    assert.ok(isEventual(await others.read(`/${theirs}`)));
    const deleted = await notes.send('DELETE', notes.records('Notes', added));
    assert.equal(deleted.status, 204);
    assert.equal((await notes.read('?search=added')).body.length, 0);
    await scene.resume();
    await served('?search=added');
  });

  it('never lack it while the replica follows, either', async () => {
    for (let n = 0; n < 100; n++) {
      await notes.rename(id, `turn ${n}`);
      assert.equal(notes.titleOf(await notes.read(`/${id}`)), `turn ${n}`);
    }
    await served(`/${id}`);
    assert.equal(notes.titleOf(await notes.read(`/${id}`)), 'turn 99');
  });

  it('follow a definition that the replica lacks to the primary', async () => {
    await served('');
    await scene.pause();
    const before = await scene.reads('definition');
    const columns = [...COLUMNS, { name: 'Place', type: 'String', sortable: true }];
    const collections = [{ name: 'Notes', columns }];
    const document = { id: notes.id, name: 'Test', activityLogEnabled: true, collections };
    const published = await scene.otherNode.operator('POST', '/applications', document);
    assert.equal(published.status, 200, published.text);
    const place = published.body.application.collections[0].columns.at(-1).id;
    await until('the new column', async () => {
      const sort = `?sortKey=column&sortColumnId=${place}`;
      const reply = await notes.send('GET', `${notes.records('Notes')}${sort}`, { headers: EVENTUAL });
      assert.ok(!isEventual(reply));
      return reply.status === 200;
    });
    assert.ok(!isEventual(await notes.read(`/${id}`)));
    assert.ok((await scene.reads('definition')) > before);
    await scene.resume();
    await served(`/${id}`);
  });

  it('are refused at once when a right is taken away', async () => {
    const person = await notes.addPerson('Someone');
    const path = `/v1/${notes.id}${notes.records('Notes', id)}`;
    const read = () => scene.server.send('GET', path, { token: person.token, headers: EVENTUAL });
    await until('the replica', async () => isEventual(await read()));
    await scene.pause();
    const removed = await scene.otherNode.operator('DELETE', `/applications/${notes.id}/users/${person.id}`);
    assert.equal(removed.status, 204, removed.text);
    await until('the refusal', async () => (await read()).status !== 200);
    await scene.resume();
  });

  it('have every refusal from the primary', async () => {
    await served(`/${id}`);
    await scene.pause();
    const fresh = await notes.create('fresh', scene.otherNode);
    const found = await notes.read(`/${fresh}`);
    assert.deepEqual([isEventual(found), notes.titleOf(found)], [false, 'fresh']);
    await scene.resume();
    const missing = notes.records('Notes', `${fresh.slice(0, -1)}${fresh.endsWith('0') ? '1' : '0'}`);
    const reply = await notes.send('GET', missing, { headers: EVENTUAL });
    assert.deepEqual([reply.status, isEventual(reply)], [404, false]);
  });

  it('are named by a header that has two values', async () => {
    for (const server of [scene.server, scene.otherNode]) {
      const send = (path: string, value: string) =>
        server.send('GET', `/v1/${notes.id}${path}`, { token: notes.admin.token, headers: { [HEADER]: value } });
      for (const path of [notes.records('Notes'), notes.records('Notes', id), `${notes.records('Notes')}/figures`]) {
        const reply = await send(path, 'sometimes');
        assert.deepEqual([reply.status, reply.body.code], [400, 'INVALID_PARAMETER']);
        assert.equal(reply.body.params.parameter, 'Cartulary-Consistency');
        assert.equal((await send(path, 'strong')).status, 200);
      }
    }
    const token = notes.admin.token;
    const path = `/v1/${notes.id}${notes.records('Notes', id)}`;
    const without = await scene.otherNode.send('GET', path, { token, headers: EVENTUAL });
    assert.deepEqual([without.status, isEventual(without)], [200, false]);
  });

  it('read long texts from the replica too', async () => {
    const title = notes.ids.Notes?.Title ?? '';
    const json = { values: { [title]: string('x'.repeat(200_000)) } };
    const long = await notes.send('POST', notes.records('Notes'), { json });
    assert.equal(long.status, 200, long.text);
    await served(`/${long.body.id}`);
    assert.equal(notes.titleOf(await notes.read(`/${long.body.id}`)).length, 200_000);
    await served('?limit=100');
  });

  it('are counted, and replicas are shown with their lag', async () => {
    const figures = await scrape(scene.server.address);
    const replica = `127.0.0.1:${scene.standby.connection.port}`;
    assert.equal(figures.sum('cartulary_replica_up', { replica }), 1);
    for (const name of ['cartulary_replica_lag_seconds', 'cartulary_replica_lag_bytes']) {
      assert.ok(figures.sum(name, { replica }) >= 0);
      assert.ok(figures.text.includes(`${name}{`), name);
    }
    assert.deepEqual((await scene.server.send('GET', '/readyz')).body, {
      status: 'ready',
      replicas: 1,
      replicasAway: 0,
    });
    assert.deepEqual((await scene.otherNode.send('GET', '/readyz')).body, { status: 'ready' });
    const found = scene.seen.filter(({ event }) => event === 'replica.found');
    assert.deepEqual(found, [{ event: 'replica.found', replica }]);
  });
});
