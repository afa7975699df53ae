// While the place of the bytes is away, uploads and downloads are refused for the moment, everything else goes on, and
// what comes back with it is as it was.

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { publishApplication } from '../support/application.ts';
import {
  attachment,
  attachmentActivities,
  type BytesReply,
  type Files,
  filesOf,
  onBothStores,
  openStore,
  randomFile,
  refusedBytes,
  traces,
  untilGone,
} from '../support/attachments.ts';
import { done, operationsOn } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';

const DOCUMENT = {
  collections: [{ id: 'tfiles00', name: 'Files', columns: [{ id: 'cfile000', name: 'File', type: 'Attachment' }] }],
};

onBothStores('storage that is away', { document: DOCUMENT }, (scene) => {
  let files: Files;

  before(() => {
    files = filesOf(scene(), 'Files');
  });

  function assertAway(reply: BytesReply): void {
    const params = refusedBytes(reply, 503, 'UNAVAILABLE');
    assert.deepEqual(params, { reason: 'storage' });
    assert.match(String(reply.headers['retry-after']), /^\d+$/);
  }

  async function away(work: () => Promise<void>): Promise<void> {
    await scene().store.goAway();
    try {
      await work();
    } finally {
      await scene().store.comeBack();
    }
  }

  it('refuses uploads, and they leave nothing', async () => {
    const before = await traces(scene());
    const logged = (await attachmentActivities(scene())).length;
    await away(async () => {
      for (const chunked of [false, true]) assertAway(await files.send(randomFile(100_000), {}, { chunked }));
    });
    await untilGoneOrCondemned(before);
    assert.equal((await attachmentActivities(scene())).length, logged);
    const { id } = await files.upload('back again');
    assert.equal((await files.get(id)).bytes.toString(), 'back again');
  });

  /** A row may stay for the sweep when the store cannot be asked to remove; nobody finds it. */
  async function untilGoneOrCondemned(before: readonly string[]): Promise<void> {
    const condemned = (await traces(scene())).filter((trace) => trace.endsWith(' removing'));
    await untilGone(scene(), [...before, ...condemned]);
    for (const row of condemned) {
      refusedBytes(await files.get(row.split(' ')[1]!), 404, 'ATTACHMENT_NOT_FOUND');
    }
  }

  it('refuses downloads, while HEAD, 304 and records go on', async () => {
    const bytes = randomFile(100_000);
    const file = await files.upload(bytes);
    const { etag = '' } = (await files.get(file.id)).headers;
    const logged = (await attachmentActivities(scene())).length;
    await away(async () => {
      assertAway(await files.get(file.id));
      assertAway(await files.get(file.id, { range: 'bytes=0-9' }));
      assertAway(await files.get(file.id, {}, '?size=64'));
      assert.equal((await files.head(file.id)).status, 200);
      assert.equal((await files.get(file.id, { 'if-none-match': etag })).status, 304);
      done(await operationsOn(scene().app, 'Files').create({ cfile000: attachment(file) }));
    });
    assert.equal((await attachmentActivities(scene())).length, logged, 'what was refused is no download');
    assert.ok((await files.get(file.id)).bytes.equals(bytes));
  });
});

it('a server starts while its store does not answer, says so, and takes attachments as soon as it does', async () => {
  const store = await openStore('s3');
  await store.goAway();
  const told: unknown[] = [];
  const server = await startTestServer({
    attachments: store.place,
    observe: (observation) => {
      if (observation.event === 'attachments.away') told.push(observation.error);
    },
  });
  try {
    assert.equal(told.length, 1);
    assert.match(String(told[0]), /The attachments in s3:.* do not answer: /);
    const app = await publishApplication(server, DOCUMENT);
    const scene = { server, app, store, close: () => server.close() };
    done(await operationsOn(app, 'Files').create({}));
    refusedBytes(await filesOf(scene, 'Files').send('early'), 503, 'UNAVAILABLE');
    await store.comeBack();
    const { id } = await filesOf(scene, 'Files').upload('in time');
    assert.equal((await filesOf(scene, 'Files').get(id)).bytes.toString(), 'in time');
  } finally {
    await server.close();
    await store.close();
  }
});
