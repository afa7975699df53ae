// Uploads have all the time that their clients need, and of the database the time of any request.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type AttachmentScene, type Files, filesOf, openAttachments, refusedBytes } from '../support/attachments.ts';
import { fetchChecked, head, onWire } from '../support/http-client.ts';
import { countWaiting } from '../support/nodes.ts';
import { OPERATOR_KEY } from '../support/server.ts';
import { until } from '../support/until.ts';
import { assertAppended, DOCUMENT, type Uploads, uploadsOf } from '../support/uploads.ts';

const REQUEST_MS = 800;

describe('an upload and its deadline', { timeout: 60_000 }, () => {
  let scene: AttachmentScene;
  let files: Files;
  let uploads: Uploads;
  let holder: pg.Client;

  before(async () => {
    scene = await openAttachments('disk', DOCUMENT, { requestMs: REQUEST_MS });
    files = filesOf(scene, 'Files');
    uploads = uploadsOf(scene.server.address, scene.app);
    holder = new pg.Client(scene.server.database.connection);
    await holder.connect();
  });
  after(async () => {
    await holder.end();
    await scene.close();
  });

  const rows = () => scene.server.database.sql(`select id from app_${scene.app.id}.attachments order by id`);
  const stuck = async <T>(work: () => Promise<T>): Promise<T> => {
    await holder.query(`begin; lock table app_${scene.app.id}.attachments in access exclusive mode`);
    try {
      return await work();
    } finally {
      await holder.query('rollback');
    }
  };
  const waiting = () => countWaiting(scene.server.database);

  it('is refused when the database keeps it waiting, and leaves nothing', async () => {
    const { id } = await files.upload('there before');
    const before = [await rows(), await scene.store.stored()];
    await stuck(async () => {
      assert.deepEqual(refusedBytes(await files.send('never there'), 503, 'UNAVAILABLE'), { reason: 'deadline' });
      await until('its statement to be stopped', async () => (await waiting()) === 0);
    });
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
    await fetchChecked(`${scene.server.address}/operator/v1/doctor?mend=true`, { method: 'POST', headers }).then((r) =>
      r.text(),
    );
    assert.deepEqual([await rows(), await scene.store.stored()], before);
    assert.equal((await files.get(id)).status, 200);
  });

  it('is refused after its last byte too, although waiting for its client has no deadline', async () => {
    const before = await rows();
    await onWire(scene.server.address, async (wire) => {
      const headers = { authorization: `Bearer ${scene.app.admin.token}`, 'content-length': '6' };
      wire.write(head('POST', files.path, headers)).write('abc');
      await until('its row', async () => (await rows()).length > before.length);
      // Much longer than any request may take.
      await pause(2 * REQUEST_MS);
      await stuck(async () => {
        const reply = await wire.write('def').answer();
        assert.deepEqual([reply.status, reply.body.params], [503, { reason: 'deadline' }]);
      });
      wire.write(head('POST', files.path, headers)).write('abc');
      await pause(2 * REQUEST_MS);
      assert.equal((await wire.write('def').answer()).status, 200);
    });
  });

  it('goes on where it was when it was announced', async () => {
    const { id } = await uploads.announced(6);
    assertAppended(await uploads.append(id, 0, 'abc'), 3);
    await stuck(async () => {
      assert.deepEqual(refusedBytes(await uploads.append(id, 3, 'def'), 503, 'UNAVAILABLE'), { reason: 'deadline' });
    });
    assert.equal(await uploads.offset(id), 3);
    assertAppended(await uploads.append(id, 3, 'def'), 6);
    assert.equal((await files.get(id)).bytes.toString(), 'abcdef');
  });
});
