// A backup of a server, restored into an empty one: everything is there and works, and nothing is there before all of it is.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { filesOf } from '../support/attachments.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { backUp, contentsOf, elsewhere, entriesOf, restoreInto, schemasOf } from './archives.ts';

const COLLECTIONS = [
  {
    name: 'Visits',
    columns: [
      { name: 'Title', type: 'String', unique: true, searchable: true, sortable: true },
      { name: 'Photo', type: 'Attachment' },
    ],
  },
  { name: 'Notes', columns: [{ name: 'Text', type: 'String', searchable: true }] },
];

describe('a restored backup', () => {
  let origin: TestServer;
  let target: TestServer;
  let app: TestApplication;
  let other: TestApplication;
  let archive: Buffer;
  const photo = randomBytes(700_000);
  let photoId: string;
  let recordId: string;

  before(async () => {
    [origin, target] = await Promise.all([startTestServer(), startTestServer()]);
    app = await publishApplication(origin, { name: 'Visits', organization: 'Acme', collections: COLLECTIONS });
    other = await publishApplication(origin, {
      name: 'Shared',
      organization: 'Acme',
      sharedUsersModeEnabled: false,
      collections: COLLECTIONS,
    });
    const uploaded = await app.send('POST', `/collections/${app.ids.Visits!.id}/attachments`, { raw: photo });
    photoId = uploaded.body.id;
    const values = {
      [app.ids.Visits!.Title!]: string('東京 tower\t"x"\\ \n end'),
      [app.ids.Visits!.Photo!]: { type: 'Attachment', id: photoId },
    };
    const record = await app.send('POST', app.records('Visits'), { json: { values } });
    assert.equal(record.status, 200, record.text);
    recordId = record.body.id;
    for (let n = 0; n < 40; n++) {
      const notes = { [other.ids.Notes!.Text!]: string(`note ${n} ${'x'.repeat(40_000)}`) };
      assert.equal((await other.send('POST', other.records('Notes'), { json: { values: notes } })).status, 200);
    }
    archive = await backUp(origin);
  });
  after(async () => {
    await Promise.all([origin.close(), target.close()]);
  });

  it('has an archive that says what it is, from its first file to its last', async () => {
    const entries = await entriesOf(archive);
    const [first] = entries;
    assert.equal(first?.kind === 'manifest' && first.manifest.cartularyBackup, 1);
    const last = entries.at(-1);
    assert.ok(last?.kind === 'end');
    assert.deepEqual(
      { ...last.totals, files: 0, sha256: '' },
      { applications: 2, files: 0, attachments: 1, missing: 0, sha256: '' },
    );
  });

  it('is the same, row by row and index by index', async () => {
    const reply = await restoreInto(target, archive);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.applications, 2);
    assert.equal(reply.body.attachments, 1);
    for (const { id } of [app, other]) {
      const [before, after] = [await contentsOf(origin, id), await contentsOf(target, id)];
      for (const table of Object.keys(before)) assert.deepEqual(after[table], before[table], table);
    }
    const list = '/applications';
    assert.deepEqual((await target.operator('GET', list)).body, (await origin.operator('GET', list)).body);
  });

  it('lets people in, finds, keeps values unique, and goes on', async () => {
    const there = elsewhere(app, target);
    const record = await there.send('GET', there.records('Visits', recordId));
    assert.deepEqual(record.body, (await app.send('GET', app.records('Visits', recordId))).body);
    const search = encodeURIComponent('tower');
    assert.equal((await there.send('GET', `${there.records('Visits')}?search=${search}`)).body.length, 1);
    const basic = Buffer.from(`${app.admin.id}:${app.admin.password}`).toString('base64');
    const signedIn = await target.send('GET', `/v1/${app.id}`, { headers: { authorization: `Basic ${basic}` } });
    assert.equal(signedIn.status, 200, signedIn.text);
    const twice = { values: { [app.ids.Visits!.Title!]: string('東京 tower\t"x"\\ \n end') } };
    assert.equal((await there.send('POST', there.records('Visits'), { json: twice })).body.code, 'DUPLICATED_VALUES');
    const more = { values: { [app.ids.Visits!.Title!]: string('more') } };
    assert.equal((await there.send('POST', there.records('Visits'), { json: more })).status, 200);
    const published = await target.operator('POST', '/applications', {
      id: app.id,
      name: 'Visits',
      organization: 'Acme',
      activityLogEnabled: true,
      collections: [...COLLECTIONS, { name: 'New', columns: [] }],
    });
    assert.equal(published.status, 200, published.text);
  });

  it('has the bytes of attachments', async () => {
    const stored = await target.database.sql(`select hash from app_${app.id}.attachments where id = $1`, [photoId]);
    assert.equal(stored[0]?.[0], createHash('sha256').update(photo).digest('hex'));
    const { bytes } = await filesOf({ server: target, app }, 'Visits').get(photoId);
    assert.ok(bytes.equals(photo));
  });

  it('is refused where something is already', async () => {
    const reply = await restoreInto(target, archive);
    assert.equal(reply.status, 409);
    assert.match(reply.body.params.reason, /has applications or shared users already/);
  });

  it('is refused when it was cut, wherever that was, and leaves nothing', async () => {
    const empty = await startTestServer();
    try {
      const cuts = [
        0,
        511,
        5_000,
        Math.floor(archive.length / 3),
        Math.floor(archive.length / 2),
        archive.length - 5_000,
        archive.length - 1_600,
        archive.length - 1_100,
      ];
      for (const cut of cuts) {
        const reply = await restoreInto(empty, archive.subarray(0, cut));
        assert.equal(reply.status, 400, `${cut} ${reply.text}`);
        assert.equal(reply.body.code, 'INVALID_ARCHIVE');
        assert.match(reply.body.params.reason, /^The backup is not complete: it ends after [\d,]+ bytes/, String(cut));
        assert.deepEqual(await schemasOf(empty), []);
      }
      const flipped = Buffer.from(archive);
      flipped[Math.floor(archive.length / 2)]! ^= 1;
      assert.match((await restoreInto(empty, flipped)).body.params.reason, /^The backup is damaged/);
      assert.deepEqual(await schemasOf(empty), []);
      assert.deepEqual((await empty.operator('GET', '/applications')).body, []);
      const later = (from: string, to: string) => Buffer.from(archive.toString('latin1').replace(from, to), 'latin1');
      for (const [from, to] of [
        ['"cartularyBackup": 1', '"cartularyBackup": 2'],
        ['"migration": ', '"migration":9'],
      ] as const) {
        const reply = await restoreInto(empty, later(from, to));
        assert.match(reply.body.params.reason, /was made by a newer version of Cartulary/, from);
      }
      const another = await restoreInto(empty, later('"takenAt": "20', '"takenAt": "19'));
      assert.match(another.body.params.reason, /end marker does not match/);
      assert.match(
        (await restoreInto(empty, Buffer.from('hello'.repeat(500)))).body.params.reason,
        /^This is not a backup/,
      );
      assert.equal((await restoreInto(empty, archive)).status, 200);
    } finally {
      await empty.close();
    }
  });
});
