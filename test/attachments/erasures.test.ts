// Erasures: what is tried when, and by whom, of the bytes of applications that were removed.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AttachmentScene, openAttachments } from '../support/attachments.ts';
import { bytesOf, openSweeper, plantedId, type Sweeper } from '../support/sweeping.ts';

const DOCUMENT = { collections: [{ name: 'Visits', columns: [{ name: 'Photo', type: 'Attachment' }] }] };

describe('erasures', () => {
  let scene: AttachmentScene;
  let sweeper: Sweeper;

  before(async () => {
    scene = await openAttachments('disk', DOCUMENT);
    sweeper = await openSweeper(scene);
  });
  after(async () => {
    await sweeper.close();
    await scene.close();
  });

  const applicationOf = (letter: string) => `p${letter.repeat(26)}`;
  const put = (applicationId: string, attachmentId: string) =>
    sweeper.blobs.put({ applicationId, attachmentId }, bytesOf('bytes'));
  // Ahead of the server's own clock, whose job leaves them alone.
  const note = (applicationId: string, seconds: number) =>
    scene.server.database.sql('insert into cartulary.erasures values ($1, $2, $3)', [
      applicationId,
      new Date(),
      new Date(Date.now() + seconds * 1_000),
    ]);
  const notes = async () =>
    (await scene.server.database.sql('select application_id from cartulary.erasures order by 1')).flat();

  it('are retried once a minute while they fail, report each attempt once, and do not stop the others', async () => {
    const [failing, other] = [applicationOf('x'), applicationOf('y')];
    const [locked, beside, theirs] = [plantedId(), plantedId(), plantedId()];
    for (const id of [locked, beside]) await put(failing, id);
    await put(other, theirs);
    const { blobs } = sweeper.context.attachments;
    const whole = blobs.remove;
    const remove: typeof whole = async (key) => {
      if (key.attachmentId === locked) throw new Error('EPERM');
      await whole(key);
    };
    Object.assign(blobs, { remove });
    for (const id of [failing, other]) await note(id, 1_000);
    await sweeper.erase(1_059);
    assert.deepEqual(await notes(), [failing, other], 'their time has not come');
    await sweeper.erase(1_061);
    assert.deepEqual(await notes(), [failing]);
    assert.equal(await blobs.size({ applicationId: failing, attachmentId: beside }), undefined);
    for (const seconds of [1_063, 1_090, 1_120]) await sweeper.erase(seconds);
    assert.deepEqual(
      sweeper.observed.splice(0).map(({ event }) => event),
      ['attachments.unswept', 'attachments.erased'],
    );
    Object.assign(blobs, { remove: whole });
    await sweeper.erase(1_122);
    assert.deepEqual(await notes(), []);
    assert.equal(await blobs.size({ applicationId: failing, attachmentId: locked }), undefined);
    assert.deepEqual(sweeper.observed.splice(0), [{ event: 'attachments.erased', applicationId: failing, files: 1 }]);
  });

  it('are done by one of the servers', async () => {
    const applicationId = applicationOf('w');
    for (let n = 0; n < 20; n++) await put(applicationId, plantedId());
    await note(applicationId, 1_000);
    await Promise.all([sweeper.erase(1_061), sweeper.erase(1_061), sweeper.erase(1_061)]);
    assert.deepEqual(await notes(), []);
    assert.deepEqual(sweeper.observed.splice(0), [{ event: 'attachments.erased', applicationId, files: 20 }]);
  });
});
