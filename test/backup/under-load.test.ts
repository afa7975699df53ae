// A backup while others write, publish and clean up: it is one moment, and what it shows is still there when it is copied.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import { type AttachmentScene, filesOf, openAttachments, openStore } from '../support/attachments.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openSweeper, rowOf } from '../support/sweeping.ts';
import { backUp, elsewhere, receiveBackup, restoreInto } from './archives.ts';

const COUNTED = {
  name: 'Things',
  columns: [
    { name: 'Count', type: 'Number' },
    { name: 'Text', type: 'String' },
  ],
};
const WRITERS = 4;

/** Lets the backup begin, holds it there, and goes on when it is released. */
function slowReader(address: string) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begun = () => {};
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const archive = receiveBackup(address, '', async () => {
    begun();
    await released;
  });
  return { archive, started, release };
}

describe('a backup under load', () => {
  let server: TestServer;
  let target: TestServer;
  let app: TestApplication;
  let others: TestApplication;

  before(async () => {
    [server, target] = await Promise.all([startTestServer(), startTestServer()]);
    app = await publishApplication(server, { collections: [COUNTED] });
    others = await publishApplication(server, { collections: [COUNTED] });
  });
  after(async () => {
    await Promise.all([server.close(), target.close()]);
  });

  it('is one moment of what the writers did, with everything acknowledged before it', async () => {
    const { Count: count, Text: text } = app.ids.Things as { Count: string; Text: string };
    const path = app.records('Things');
    const filler = randomBytes(20_000).toString('hex');
    const pairs: { ids: string[]; acknowledged: number }[] = [];
    for (let n = 0; n < WRITERS; n++) {
      const made = await app.send('POST', path, {
        json: [0, 0].map((value) => ({ values: { [count]: number(value), [text]: string(filler) } })),
      });
      assert.equal(made.status, 200, made.text);
      pairs.push({ ids: made.body.map(({ id }: { id: string }) => id), acknowledged: 0 });
    }
    let writing = true;
    // Each writer counts the first of its records up, and then the second: at any moment they are equal, or the first is one ahead.
    const writers = pairs.map(async (pair) => {
      for (let n = 1; writing; n++) {
        for (const id of pair.ids) {
          const reply = await app.send('PUT', `${path}/${id}`, {
            json: { values: { [count]: number(n), [text]: string(filler) } },
          });
          assert.equal(reply.status, 200, reply.text);
        }
        pair.acknowledged = n;
      }
    });
    await pause(200);
    const before = pairs.map(({ acknowledged }) => acknowledged);
    const archive = await backUp(server);
    await pause(200);
    writing = false;
    await Promise.all(writers);
    assert.equal((await restoreInto(target, archive)).status, 200);
    const there = elsewhere(app, target);
    for (const [n, { ids, acknowledged }] of pairs.entries()) {
      const [first, second] = await Promise.all(
        ids.map(async (id) => (await there.send('GET', `${path}/${id}`)).body.values[count].value as number),
      );
      assert.ok(first === second || first! === second! + 1, `${first} ${second}`);
      assert.ok(second! >= before[n]!, `${second} of ${before[n]} acknowledged before`);
      assert.ok(first! < acknowledged, 'the writers went on after it');
    }
  });

  it('lets publishing go on, and keeps what it would drop until all is copied', async () => {
    const { Count: count } = others.ids.Things as { Count: string };
    // More than the sockets hold, so that the backup waits for its reader.
    const values = { [count]: number(7), [others.ids.Things!.Text!]: string('x'.repeat(900_000)) };
    const records = 24;
    for (let n = 0; n < records; n++) await others.send('POST', others.records('Things'), { json: { values } });
    const reading = slowReader(server.address);
    await reading.started;
    const id = others.id;
    const collections = [{ ...COUNTED, id: others.ids.Things!.id }];
    const without = { id, name: 'Test', activityLogEnabled: true, collections: [{ name: 'New', columns: [] }] };
    const published = await server.operator('POST', '/applications?allowDataLoss=true', without);
    assert.equal(published.status, 200, published.text);
    const removed = await server.operator('DELETE', `/applications/${app.id}`);
    assert.deepEqual([removed.status, removed.body.params], [503, { reason: 'backup' }]);
    const second = await receiveBackup(server.address);
    assert.equal(second.status, 503, 'one backup at a time');
    reading.release();
    const { status, archive } = await reading.archive;
    assert.equal(status, 200);
    const empty = await startTestServer();
    try {
      assert.equal((await restoreInto(empty, archive)).status, 200);
      const there = elsewhere(others, empty);
      const list = await there.send('GET', others.records('Things'));
      assert.equal(list.body.length, records);
      assert.equal(collections.length, 1);
    } finally {
      await empty.close();
    }
    assert.equal((await server.operator('DELETE', `/applications/${app.id}`)).status, 204);
  });
});

describe('a backup of files in S3', () => {
  it('is restored into S3', async () => {
    const document = { collections: [{ name: 'Visits', columns: [{ name: 'Photo', type: 'Attachment' }] }] };
    const scene = await openAttachments('s3', document);
    const store = await openStore('s3');
    const target = await startTestServer({ attachments: store.place });
    try {
      const bytes = randomBytes(300_000);
      const { id } = await filesOf(scene, 'Visits').upload(bytes);
      assert.equal((await restoreInto(target, await backUp(scene.server))).status, 200);
      const there = await filesOf({ server: target, app: scene.app }, 'Visits').get(id);
      assert.ok(there.bytes.equals(bytes));
    } finally {
      await target.close();
      await store.close();
      await scene.close();
    }
  });
});

describe('files during a backup', () => {
  let scene: AttachmentScene;
  before(async () => {
    scene = await openAttachments('disk', {
      collections: [{ name: 'Visits', columns: [{ name: 'Photo', type: 'Attachment' }] }],
    });
  });
  after(() => scene.close());

  it('are not swept before they are copied, and are swept after that', async () => {
    const { server } = scene;
    const sweeper = await openSweeper(scene);
    const { id } = await filesOf(scene, 'Visits').uploadNamed('free.txt');
    // More than the sockets hold, so that the backup waits for its reader.
    await filesOf(scene, 'Visits').upload(randomBytes(24_000_000));
    await sweeper.sweep();
    const reading = slowReader(server.address);
    await reading.started;
    await sweeper.sweep(30);
    assert.equal((await rowOf(scene, id)).state, 'available');
    reading.release();
    const { archive } = await reading.archive;
    assert.ok(archive.includes(`attachments/${scene.app.id}`));
    await sweeper.sweep(30);
    assert.equal((await rowOf(scene, id)).state, 'gone');
    await sweeper.close();
  });

  it('that are lost or damaged are named, and everything else is restored', async () => {
    const { server, app, store } = scene;
    const files = filesOf(scene, 'Visits');
    const [lost, whole] = [await files.uploadNamed('lost.txt'), await files.uploadNamed('whole.txt')];
    assert.equal(store.kind, 'disk');
    const { rm, writeFile } = await import('node:fs/promises');
    const folder = store.place.kind === 'disk' ? store.place.folder : '';
    const pathOf = (id: string) => `${folder}/${app.id}/${id.slice(-2)}/${id}`;
    await rm(pathOf(lost.id));
    const other = await files.uploadNamed('changed.txt');
    const [[size]] = (await server.database.sql(`select size::int from app_${app.id}.attachments where id = $1`, [
      other.id,
    ])) as [[number]];
    await writeFile(pathOf(other.id), 'z'.repeat(size));
    const archive = await backUp(server);
    const target = await startTestServer();
    try {
      const reply = await restoreInto(target, archive);
      assert.deepEqual([reply.status, reply.body.missing], [200, 2], reply.text);
      const states = await target.database.sql(`select id, state from app_${app.id}.attachments`);
      const byId = Object.fromEntries(states) as Record<string, string>;
      assert.deepEqual([byId[lost.id], byId[other.id], byId[whole.id]], ['missing', 'missing', 'available']);
    } finally {
      await target.close();
    }
  });
});
