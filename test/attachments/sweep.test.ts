// The sweep: what goes, what stays, and who wins when somebody begins to hold what is about to go.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { DAY_MS } from '../../src/domain/dates/days.ts';
import { prepareApplication } from '../../src/domain/definition/application.ts';
import { sweepUnfinished, sweepUnheldAndStray } from '../../src/operations/upkeep/attachment-sweep.ts';
import { getApplication } from '../../src/store/applications/applications.ts';
import {
  findUnheld,
  markStraysForRemoval,
  markUnheldForRemoval,
  startUnheldGrace,
} from '../../src/store/attachments/sweeps.ts';
import { publishApplication } from '../support/application.ts';
import { type AttachmentScene, attachment, filesOf, openAttachments, republish } from '../support/attachments.ts';
import { startTestServer } from '../support/server.ts';
import { bytesOf, heldIn, openSweeper, photo, plant, plantedId, rowOf, type Sweeper } from '../support/sweeping.ts';
import { until } from '../support/until.ts';

const INNER = { keys: [{ name: 'file', type: 'Attachment' }] };
const VISITS = {
  name: 'Visits',
  columns: [
    { name: 'Photo', type: 'Attachment' },
    { name: 'Files', type: 'Array', scheme: { element: { type: 'Attachment' } } },
  ],
};
const NOTES = { name: 'Notes', columns: [{ name: 'Title', type: 'String' }] };
const DOCUMENT = { collections: [VISITS, NOTES] };

describe('the sweep', () => {
  let scene: AttachmentScene;
  let sweeper: Sweeper;
  let visits: Record<string, string>;

  before(async () => {
    scene = await openAttachments('disk', DOCUMENT);
    sweeper = await openSweeper(scene);
    visits = scene.app.ids.Visits!;
  });
  after(async () => {
    await sweeper.close();
    await scene.close();
  });

  const writer = () => sweeper.context.database.application(scene.app.id);
  const current = async () =>
    prepareApplication((await getApplication(sweeper.context.database.system, scene.app.id))!);
  const size = (attachmentId: string) => sweeper.blobs.size({ applicationId: scene.app.id, attachmentId });
  const put = (attachmentId: string, part?: string) =>
    sweeper.blobs.put({ applicationId: scene.app.id, attachmentId, ...(part ? { part } : {}) }, bytesOf('bytes'));
  const gone = async (id: string) => {
    assert.deepEqual(await rowOf(scene, id), { state: 'gone', free: false });
    assert.equal(await size(id), undefined);
  };
  const there = async (id: string, free: boolean) => {
    assert.deepEqual(await rowOf(scene, id), { state: 'available', free });
    assert.notEqual(await size(id), undefined);
  };
  const swept = () => sweeper.observed.splice(0);

  it('removes an attachment that no record has held since its upload, when the days are over', async () => {
    const { id } = await filesOf(scene, 'Visits').uploadNamed('unheld.txt');
    await put(id, '256.webp');
    await sweeper.sweep(6.9);
    await there(id, true);
    assert.deepEqual(swept(), []);
    await sweeper.sweep(7.1);
    await gone(id);
    assert.equal(
      await sweeper.blobs.size({ applicationId: scene.app.id, attachmentId: id, part: '256.webp' }),
      undefined,
    );
    const counts = { interrupted: 0, halfRemoved: 0, unheld: 1, strays: 0 };
    assert.deepEqual(swept(), [{ event: 'attachments.swept', applicationId: scene.app.id, ...counts }]);
    assert.equal((await filesOf(scene, 'Visits').get(id)).status, 404);
    await sweeper.sweep(7.1);
    assert.deepEqual(swept(), []);
  });

  it('keeps what a record holds, also in an Array, and lets go with the record', async () => {
    const { Photo, Files } = visits;
    const held = [
      await heldIn(scene, 'Visits', photo(Photo!)),
      await heldIn(scene, 'Visits', (file) => ({ [Files!]: { type: 'Array', value: [attachment(file)] } })),
    ];
    for (const days of [0, 8, 100]) await sweeper.sweep(days);
    for (const { id } of held) await there(id, false);
    for (const { id, recordId } of held) {
      assert.equal((await scene.app.send('DELETE', scene.app.records('Visits', recordId))).status, 204);
      await there(id, false);
    }
    await sweeper.sweep(100);
    for (const { id } of held) await there(id, true);
    await sweeper.sweep(106);
    for (const { id } of held) await there(id, true);
    await sweeper.sweep(108);
    for (const { id } of held) await gone(id);
    swept();
  });

  it('clears what it had marked when a record holds it after all', async () => {
    const { id } = await heldIn(scene, 'Visits', photo(visits.Photo!));
    const { generation } = await current();
    // As a sweep that looked just before the record was written.
    await startUnheldGrace(writer(), { ids: [id], now: new Date().toISOString(), generation });
    await there(id, true);
    await sweeper.sweep(3);
    await there(id, true);
    await sweeper.sweep(8);
    await there(id, false);
  });

  it('condemns nothing that a record has begun to hold since the look', async () => {
    const { id } = await filesOf(scene, 'Visits').uploadNamed('raced.txt');
    const application = await current();
    const collection = application.collections.get(visits.id!)!;
    assert.deepEqual([...(await findUnheld(writer(), collection, [id]))], [id]);
    const values = photo(visits.Photo!)({ id });
    assert.equal((await scene.app.send('POST', scene.app.records('Visits'), { json: { values } })).status, 200);
    const cutoff = new Date(Date.now() + DAY_MS).toISOString();
    const { generation } = application;
    assert.deepEqual(await markUnheldForRemoval(writer(), { ids: [id], cutoff, generation }), []);
    await there(id, false);
    assert.deepEqual([...(await findUnheld(writer(), collection, [id]))], []);
  });

  it('does not wait for a record that is about to hold one, and refuses one that comes too late', async () => {
    const [kept, late] = await Promise.all(
      ['kept.txt', 'late.txt'].map((name) => filesOf(scene, 'Visits').uploadNamed(name)),
    );
    const client = new pg.Client(scene.server.database.connection);
    await client.connect();
    try {
      await client.query('begin');
      await client.query(`update app_${scene.app.id}.attachments set free_since = null where id = $1`, [kept!.id]);
      await sweeper.sweep(8);
      await client.query('commit');
    } finally {
      await client.end();
    }
    await there(kept!.id, false);
    await gone(late!.id);
    const values = photo(visits.Photo!)(late!);
    const refused = await scene.app.send('POST', scene.app.records('Visits'), { json: { values } });
    assert.deepEqual([refused.status, refused.body.code], [400, 'INVALID_VALUE']);
    swept();
  });

  it('condemns nothing with a definition that is not the published one', async () => {
    const { id } = await filesOf(scene, 'Visits').uploadNamed('fenced.txt');
    const { generation } = await current();
    const cutoff = new Date(Date.now() + DAY_MS).toISOString();
    const ids = [id];
    for (const stale of [generation - 1, generation + 1]) {
      assert.deepEqual(await markUnheldForRemoval(writer(), { ids, cutoff, generation: stale }), []);
      assert.deepEqual(await markStraysForRemoval(writer(), { ids, collectionIds: [], generation: stale }), []);
    }
    await there(id, true);
  });

  it('removes uploads whose server has gone, and none of a server that lives', async () => {
    const [dead, living, mine, announced] = [plantedId(), plantedId(), plantedId(), plantedId()];
    const forsaken = plantedId();
    const turn = await sweeper.context.attachments.activeUploads.begin(mine);
    const client = new pg.Client({
      ...scene.server.database.connection,
      application_name: 'cartulary listener living',
    });
    await client.connect();
    const expires = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
    const [expired, expiredButReceived, expiredOfDead] = [plantedId(), plantedId(), plantedId()];
    const collectionId = visits.id!;
    try {
      await plant(scene, { id: dead, collectionId, node: 'dead' });
      await plant(scene, { id: living, collectionId, node: 'living' });
      await plant(scene, { id: mine, collectionId, node: 'test' });
      await plant(scene, { id: forsaken, collectionId, node: 'test' });
      await plant(scene, { id: announced, collectionId, pieces: '[]', expires_at: expires(1) });
      await plant(scene, { id: expired, collectionId, pieces: '[]', expires_at: expires(-1) });
      await plant(scene, { id: expiredOfDead, collectionId, pieces: '[]', expires_at: expires(-1), node: 'dead' });
      const received = { pieces: '[]', expires_at: expires(-1), node: 'living' };
      await plant(scene, { id: expiredButReceived, collectionId, ...received });
      for (const id of [dead, living, announced, expired, expiredOfDead]) await put(id, 'piece-0');
      await sweeper.sweep();
    } finally {
      await client.end();
      turn.end();
    }
    for (const id of [dead, forsaken, expired, expiredOfDead]) {
      await gone(id);
      assert.equal(
        await sweeper.blobs.size({ applicationId: scene.app.id, attachmentId: id, part: 'piece-0' }),
        undefined,
      );
    }
    for (const id of [living, mine, announced, expiredButReceived]) {
      assert.equal((await rowOf(scene, id)).state, 'pending');
    }
    const counts = { interrupted: 4, halfRemoved: 0, unheld: 0, strays: 0 };
    assert.deepEqual(swept(), [{ event: 'attachments.swept', applicationId: scene.app.id, ...counts }]);
    await scene.server.database.sql(`delete from app_${scene.app.id}.attachments where state = 'pending'`);
  });

  it('spares an upload whose server is missing only for a moment', async () => {
    const id = plantedId();
    await plant(scene, { id, collectionId: visits.id!, node: 'back' });
    const sweeping = sweeper.sweep();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const client = new pg.Client({ ...scene.server.database.connection, application_name: 'cartulary listener back' });
    await client.connect();
    await sweeping;
    await client.end();
    assert.equal((await rowOf(scene, id)).state, 'pending');
    await sweeper.sweep();
    await gone(id);
    swept();
  });

  it('runs when a server starts', async () => {
    const id = plantedId();
    await plant(scene, { id, collectionId: visits.id!, node: 'killed' });
    await put(id);
    const { database } = scene.server;
    const another = await startTestServer({ database, attachments: scene.store.place });
    try {
      await until('the upload to be cleared away', async () => (await rowOf(scene, id)).state === 'gone');
      await gone(id);
    } finally {
      await another.close();
    }
  });

  it('ends in the middle when the server is stopped', async () => {
    const { id } = await filesOf(scene, 'Visits').uploadNamed('later.txt');
    const context = { ...sweeper.context, now: () => Date.now() + 8 * DAY_MS };
    await sweepUnheldAndStray(context, { unheldDays: 7, signal: AbortSignal.abort() });
    await there(id, true);
  });

  it('does not wait for the second look when the server is stopped', async () => {
    const id = plantedId();
    await plant(scene, { id, collectionId: visits.id!, node: 'unseen' });
    const { context } = sweeper;
    const patient = { ...context, attachments: { ...context.attachments, goneCheckPauseMs: 60_000 } };
    await sweepUnfinished(patient, { signal: AbortSignal.timeout(300) });
    assert.equal((await rowOf(scene, id)).state, 'pending');
    await sweeper.sweep();
    await gone(id);
    swept();
  });

  it('leaves an announced upload until its expiry, and tracks which records hold it', async () => {
    const id = plantedId();
    const at = new Date(Date.now() - 30 * DAY_MS).toISOString();
    const expires_at = new Date(Date.now() + 30 * DAY_MS).toISOString();
    await plant(scene, { id, collectionId: visits.id!, pieces: '[]', expires_at, free_since: at, size: 5 });
    await sweeper.sweep();
    assert.deepEqual(await rowOf(scene, id), { state: 'pending', free: true });
    const values = photo(visits.Photo!)({ id });
    assert.equal((await scene.app.send('POST', scene.app.records('Visits'), { json: { values } })).status, 200);
    await sweeper.sweep();
    assert.deepEqual(await rowOf(scene, id), { state: 'pending', free: false });
    await scene.server.database.sql(`delete from app_${scene.app.id}.attachments where id = $1`, [id]);
  });

  it('removes the pieces that a crash has left beside an attachment, and leaves the attachment', async () => {
    const { id } = await filesOf(scene, 'Visits').uploadNamed('joined.txt');
    const part = 'piece-0-0123456789abcdef';
    await put(id, part);
    await scene.server.database.sql(`update app_${scene.app.id}.attachments set pieces = '[]' where id = $1`, [id]);
    await sweeper.sweep();
    assert.equal(await sweeper.blobs.size({ applicationId: scene.app.id, attachmentId: id, part }), undefined);
    await there(id, true);
    const rows = await scene.server.database.sql(`select pieces from app_${scene.app.id}.attachments where id = $1`, [
      id,
    ]);
    assert.deepEqual(rows, [[null]]);
    swept();
  });

  it('finishes removals that were begun', async () => {
    const [whole, bare] = [plantedId(), plantedId()];
    for (const id of [whole, bare]) await plant(scene, { id, collectionId: visits.id!, state: 'removing' });
    await put(whole);
    await sweeper.sweep();
    await gone(whole);
    await gone(bare);
    const counts = { interrupted: 0, halfRemoved: 2, unheld: 0, strays: 0 };
    assert.deepEqual(swept(), [{ event: 'attachments.swept', applicationId: scene.app.id, ...counts }]);
  });

  it('removes an attachment marked as missing when no record holds it, and keeps it otherwise', async () => {
    const held = await heldIn(scene, 'Visits', photo(visits.Photo!));
    const free = await filesOf(scene, 'Visits').uploadNamed('missing.txt');
    const ids = [held.id, free.id];
    await scene.server.database.sql(`update app_${scene.app.id}.attachments set state = 'missing' where id = any($1)`, [
      ids,
    ]);
    await sweeper.sweep(8);
    await gone(free.id);
    assert.equal((await rowOf(scene, held.id)).state, 'missing');
    swept();
  });

  it('reports an application that fails, and continues with the others', async () => {
    const other = await publishApplication(scene.server, { name: 'Other', ...DOCUMENT });
    const beside = { ...scene, app: other };
    const { id } = await filesOf(beside, 'Visits').uploadNamed('other.txt');
    await scene.server.database.sql(`alter table app_${scene.app.id}.attachments rename column pieces to parts`);
    await sweeper.sweep(8);
    assert.deepEqual(await rowOf(beside, id), { state: 'gone', free: false });
    await scene.server.database.sql(`alter table app_${scene.app.id}.attachments rename column parts to pieces`);
    const failing = { ...sweeper.context.attachments.blobs, removeAll: () => Promise.reject(new Error('no disk')) };
    const { id: kept } = await filesOf(scene, 'Visits').uploadNamed('kept.txt');
    swept();
    const whole = sweeper.context.attachments.blobs.removeAll;
    Object.assign(sweeper.context.attachments.blobs, failing);
    await sweeper.sweep(8);
    Object.assign(sweeper.context.attachments.blobs, { removeAll: whole });
    const [told] = swept();
    assert.equal(told?.event, 'attachments.unswept');
    assert.equal((await rowOf(scene, kept)).state, 'removing');
    await sweeper.sweep();
    await gone(kept);
    swept();
  });

  it('goes on where one attachment cannot be removed, with the others and by the other rules', async () => {
    const files = filesOf(scene, 'Visits');
    const [locked, free] = [await files.uploadNamed('locked.txt'), await files.uploadNamed('free.txt')];
    const [begun, beside] = [plantedId(), plantedId()];
    for (const id of [begun, beside]) await plant(scene, { id, collectionId: visits.id!, state: 'removing' });
    swept();
    const { blobs } = sweeper.context.attachments;
    const whole = blobs.removeAll;
    const locks = new Set([locked.id, begun]);
    const removeAll: typeof whole = async (key) => {
      if (locks.has(key.attachmentId)) throw new Error(`EPERM ${key.attachmentId}`);
      await whole(key);
    };
    Object.assign(blobs, { removeAll });
    await sweeper.sweep(8);
    Object.assign(blobs, { removeAll: whole });
    for (const id of [free.id, beside]) await gone(id);
    for (const id of [locked.id, begun]) assert.equal((await rowOf(scene, id)).state, 'removing');
    const told = swept().filter((event) => 'applicationId' in event && event.applicationId === scene.app.id);
    assert.deepEqual(
      told.map(({ event }) => event),
      ['attachments.unswept', 'attachments.swept', 'attachments.unswept', 'attachments.swept'],
    );
    const [first] = told;
    assert.ok(first?.event === 'attachments.unswept' && first.error instanceof Error);
    assert.match(String(first.error.cause), /EPERM/);
    await sweeper.sweep(8);
    for (const id of locks) await gone(id);
    swept();
  });

  it('does the same when two servers do it at once', async () => {
    const files = filesOf(scene, 'Visits');
    const uploads = await Promise.all(Array.from({ length: 30 }, (_, n) => files.uploadNamed(`${n}.txt`)));
    await Promise.all([sweeper.sweep(8), sweeper.sweep(8), sweeper.sweep(8)]);
    await sweeper.sweep(8);
    for (const { id } of uploads) await gone(id);
    assert.ok(swept().every(({ event }) => event === 'attachments.swept'));
  });

  it('removes attachments of collections that are gone, also those that were held', async () => {
    const columns = [
      { name: 'Photo', type: 'Attachment' },
      { name: 'Box', type: 'Object', scheme: INNER },
    ];
    const app = await publishApplication(scene.server, {
      name: 'Shrinking',
      collections: [{ name: 'Old', columns }, NOTES],
    });
    const there = { ...scene, app };
    const { id } = await heldIn(there, 'Old', photo(app.ids.Old!.Photo!));
    const boxed = await heldIn(there, 'Old', (file) => ({
      [app.ids.Old!.Box!]: { type: 'Object', value: { file: attachment(file) } },
    }));
    await sweeper.sweep(100);
    assert.deepEqual(await rowOf(there, boxed.id), { state: 'available', free: false });
    await republish(there, { name: 'Shrinking', collections: [NOTES] }, '?allowDataLoss=true');
    await sweeper.sweep();
    assert.equal((await rowOf(there, id)).state, 'gone');
    assert.equal((await rowOf(there, boxed.id)).state, 'gone');
    assert.equal(await sweeper.blobs.size({ applicationId: app.id, attachmentId: id }), undefined);
    const last = swept().at(-1);
    assert.ok(last?.event === 'attachments.swept' && last.strays === 2);
  });

  it('removes the files of a removed application, and none of its successor', async () => {
    const app = await publishApplication(scene.server, { name: 'Removed', ...DOCUMENT });
    const there = { ...scene, app };
    const { id } = await filesOf(there, 'Visits').uploadNamed('removed.txt');
    assert.equal((await scene.server.operator('DELETE', `/applications/${app.id}`)).status, 204);
    const size = (attachmentId: string) => sweeper.blobs.size({ applicationId: app.id, attachmentId });
    await until('the bytes to go', async () => (await size(id)) === undefined);
    const notes = async () => (await scene.server.database.sql('select application_id from cartulary.erasures')).length;
    await until('the note to go', async () => (await notes()) === 0);
    // Again under its identifier, with an attachment, while the note of the former one is still there.
    const document = { id: app.id, name: 'Removed', activityLogEnabled: true, ...DOCUMENT };
    assert.equal((await scene.server.operator('POST', '/applications', document)).status, 200);
    const stranger = plantedId();
    const mine = plantedId();
    await plant(there, { id: mine, collectionId: app.ids.Visits!.id ?? '', state: 'available' });
    for (const attachmentId of [stranger, mine]) {
      await sweeper.blobs.put({ applicationId: app.id, attachmentId }, bytesOf('bytes'));
    }
    await scene.server.database.sql('insert into cartulary.erasures values ($1, $2)', [app.id, new Date()]);
    await sweeper.erase();
    assert.equal(await size(stranger), undefined);
    assert.equal(await size(mine), 5);
    assert.equal(await notes(), 0);
  });

  it('takes a table that cannot be read for a moment for no proof that the application is gone', async () => {
    const { id } = await filesOf(scene, 'Visits').uploadNamed('needed.txt');
    const { sql } = scene.server.database;
    // Ahead of the server's own clock, whose job leaves it alone.
    const later = new Date(Date.now() + 1_000_000);
    swept();
    await sql('insert into cartulary.erasures values ($1, $2, $3)', [scene.app.id, new Date(), later]);
    await sql(`alter table app_${scene.app.id}.attachments rename column hash to digest`);
    await sweeper.erase(1_061);
    assert.equal(await size(id), 13);
    assert.deepEqual(
      swept().map(({ event }) => event),
      ['attachments.unswept'],
    );
    await sql(`alter table app_${scene.app.id}.attachments rename column digest to hash`);
    await sweeper.erase(1_180);
    assert.equal(await size(id), 13);
    assert.deepEqual(await sql('select application_id from cartulary.erasures'), []);
    swept();
  });
});
