// The doctor: what it finds, what it mends, and when it would rather not.

import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { examine as examineAll } from '../../src/operations/doctor/doctor.ts';
import type { DoctorLine, Finding, FindingKind } from '../../src/wire/doctor.ts';
import { publishApplication } from '../support/application.ts';
import { type AttachmentScene, filesOf, openAttachments } from '../support/attachments.ts';
import { fetchChecked } from '../support/http-client.ts';
import { OPERATOR_KEY } from '../support/server.ts';
import { bytesOf, openSweeper, plant, plantedId, rowOf, type Sweeper } from '../support/sweeping.ts';

const DOCUMENT = { collections: [{ name: 'Visits', columns: [{ name: 'Photo', type: 'Attachment' }] }] };

interface Diagnosis {
  readonly lines: DoctorLine[];
  readonly findings: Finding[];
  readonly end: Extract<DoctorLine, { type: 'end' }> | undefined;
  /** By kind, of those that were found: found, mended, left. */
  readonly tallies: Partial<Record<FindingKind, [number, number, number]>>;
}

async function examine({ server }: AttachmentScene, query = ''): Promise<Diagnosis> {
  const response = await fetchChecked(`${server.address}/operator/v1/doctor${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_KEY}` },
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
  assert.ok(text.endsWith('\n'));
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as DoctorLine);
  const end = lines.find((line) => line.type === 'end');
  const tallies = Object.entries(end?.tallies ?? {}).filter(([, { found }]) => found > 0);
  return {
    lines,
    findings: lines.filter((line) => line.type === 'finding'),
    end,
    tallies: Object.fromEntries(tallies.map(([kind, { found, mended, left }]) => [kind, [found, mended, left]])),
  };
}

async function gathered(lines: AsyncIterable<DoctorLine>): Promise<DoctorLine[]> {
  const all: DoctorLine[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

describe('the doctor', () => {
  let scene: AttachmentScene;
  let sweeper: Sweeper;
  let folder: string;

  before(async () => {
    scene = await openAttachments('disk', DOCUMENT);
    sweeper = await openSweeper(scene);
    assert.ok(scene.store.place.kind === 'disk');
    folder = scene.store.place.folder;
  });
  after(async () => {
    await sweeper.close();
    await scene.close();
  });

  const upload = (name: string, text?: string) => filesOf(scene, 'Visits').uploadNamed(name, text);
  const pathOf = (id: string) => join(folder, scene.app.id, id.slice(-2), id);
  const put = (attachmentId: string, part?: string, applicationId = scene.app.id) =>
    sweeper.blobs.put({ applicationId, attachmentId, ...(part ? { part } : {}) }, bytesOf('bytes'));
  const status = async (id: string) => (await filesOf(scene, 'Visits').get(id)).status;
  const well = async () => assert.deepEqual((await examine(scene, '?hashes=true')).tallies, {});

  it('finds nothing where all is well, and says how far it is', async () => {
    await upload('well.txt');
    const { lines, end, findings } = await examine(scene);
    assert.deepEqual(findings, []);
    const { place, ...counts } = end!.looked;
    assert.equal(place, folder);
    assert.deepEqual(counts, { applications: 1, attachments: 1, files: 1, missing: 0 });
    const progress = lines.filter((line) => line.type === 'progress').map(({ type: _, ...at }) => at);
    assert.deepEqual(progress, [
      { step: 'files', done: 1 },
      { step: 'attachments', done: 1, total: 1 },
    ]);
    assert.equal(lines.at(-1)?.type, 'end');
  });

  it('removes files of no attachment and of no application', async () => {
    const [stranger, foreign] = [plantedId(), plantedId()];
    const nowhere = `p${'z'.repeat(26)}`;
    await put(stranger);
    await put(stranger, '256.webp');
    await put(foreign, undefined, nowhere);
    const { findings, tallies } = await examine(scene);
    assert.deepEqual(tallies, { bytesWithoutAttachment: [2, 0, 2], bytesWithoutApplication: [1, 0, 1] });
    assert.deepEqual(
      findings
        .filter(({ part }) => part === undefined)
        .map(({ applicationId, attachmentId, size }) => [applicationId, attachmentId, size]),
      [
        [scene.app.id, stranger, 5],
        [nowhere, foreign, 5],
      ],
    );
    assert.deepEqual((await examine(scene, '?mend=true')).tallies, {
      bytesWithoutAttachment: [2, 2, 0],
      bytesWithoutApplication: [1, 1, 0],
    });
    assert.equal(await sweeper.blobs.size({ applicationId: scene.app.id, attachmentId: stranger }), undefined);
    assert.equal(await sweeper.blobs.size({ applicationId: nowhere, attachmentId: foreign }), undefined);
    await well();
  });

  it('marks attachments whose file is gone or has another size, and brings back what comes back', async () => {
    const lost = await upload('lost.txt', 'lost');
    const short = await upload('short.txt', 'not so short');
    await rename(pathOf(lost.id), join(folder, 'aside'));
    await writeFile(pathOf(short.id), 'short');
    const { findings, tallies } = await examine(scene);
    assert.deepEqual(tallies, { withoutBytes: [1, 0, 1], otherSize: [1, 0, 1] });
    const { type: _type, ...found } = findings.find(({ kind }) => kind === 'otherSize')!;
    const place = { applicationId: scene.app.id, attachmentId: short.id };
    assert.deepEqual(found, { kind: 'otherSize', ...place, name: 'short.txt', size: 5, expectedSize: 12 });
    assert.equal(await status(lost.id), 503, 'not marked yet');
    assert.deepEqual((await examine(scene, '?mend=true')).tallies, { withoutBytes: [1, 1, 0], otherSize: [1, 1, 0] });
    for (const { id } of [lost, short]) {
      assert.equal((await rowOf(scene, id)).state, 'missing');
      assert.equal(await status(id), 404);
    }
    const again = await examine(scene, '?mend=true');
    assert.deepEqual(again.tallies, {});
    assert.equal(again.end?.looked.missing, 2);
    await rename(join(folder, 'aside'), pathOf(lost.id));
    // The right size is not enough.
    await writeFile(pathOf(short.id), 'nor so short');
    assert.deepEqual((await examine(scene)).tallies, { bytesBack: [1, 0, 1] });
    assert.deepEqual((await examine(scene, '?mend=true')).tallies, { bytesBack: [1, 1, 0] });
    assert.equal(await status(lost.id), 200);
    assert.equal(await status(short.id), 404);
    await writeFile(pathOf(short.id), 'not so short');
    assert.deepEqual((await examine(scene, '?mend=true')).tallies, { bytesBack: [1, 1, 0] });
    await well();
  });

  it('compares contents when it is asked to', async () => {
    const { id } = await upload('changed.txt', 'as it was');
    await writeFile(pathOf(id), 'as it is!');
    assert.deepEqual((await examine(scene)).tallies, {});
    assert.deepEqual((await examine(scene, '?hashes=true')).tallies, { otherContent: [1, 0, 1] });
    assert.deepEqual((await examine(scene, '?hashes=true&mend=true')).tallies, { otherContent: [1, 1, 0] });
    assert.equal(await status(id), 404);
    assert.deepEqual((await examine(scene, '?mend=true')).tallies, {}, 'its size does not bring it back');
    await writeFile(pathOf(id), 'as it was');
    await examine(scene, '?mend=true');
    assert.equal(await status(id), 200);
  });

  it('treats abandoned uploads and removals as the sweep does', async () => {
    const collectionId = scene.app.ids.Visits!.id!;
    const [interrupted, removing, announced] = [plantedId(), plantedId(), plantedId()];
    await plant(scene, { id: interrupted, collectionId, node: 'dead' });
    await plant(scene, { id: removing, collectionId, state: 'removing' });
    const expires_at = new Date(Date.now() + 1e9).toISOString();
    await plant(scene, { id: announced, collectionId, pieces: '[]', expires_at, size: 5 });
    for (const id of [interrupted, removing, announced]) await put(id, 'piece-0');
    const { tallies } = await examine(scene);
    assert.deepEqual(tallies, { interrupted: [1, 0, 1], halfRemoved: [1, 0, 1] });
    const mended = await examine(scene, '?mend=true');
    assert.deepEqual(mended.tallies, { interrupted: [1, 1, 0], halfRemoved: [1, 1, 0] });
    assert.equal((await rowOf(scene, interrupted)).state, 'gone');
    assert.equal((await rowOf(scene, removing)).state, 'gone');
    assert.equal((await rowOf(scene, announced)).state, 'pending');
    await well();
    await scene.server.database.sql(`update app_${scene.app.id}.attachments set state = 'removing' where id = $1`, [
      announced,
    ]);
    await sweeper.sweep();
  });

  it('removes pieces beside an attachment that is there, and not its pictures', async () => {
    const { id } = await upload('whole.txt');
    await put(id, 'piece-0-node');
    await put(id, '256.webp');
    await writeFile(`${pathOf(id)}.uploading-0123456789abcdef`, 'half');
    const { tallies, findings } = await examine(scene, '?mend=true');
    assert.deepEqual(tallies, { leftovers: [2, 2, 0] });
    assert.deepEqual(
      findings.map(({ name }) => name),
      ['whole.txt', 'whole.txt'],
    );
    const key = { applicationId: scene.app.id, attachmentId: id };
    assert.equal(await sweeper.blobs.size({ ...key, part: 'piece-0-node' }), undefined);
    assert.equal(await sweeper.blobs.size({ ...key, part: '256.webp' }), 5);
    assert.equal(await status(id), 200);
    await well();
  });

  it('finds nothing wrong with files that are uploaded or removed meanwhile', async () => {
    let over = false;
    const traffic = (async () => {
      for (let n = 0; !over; n++) {
        const { id } = await upload(`${n}.txt`);
        await scene.server.database.sql(
          `update app_${scene.app.id}.attachments set free_since = '2000-01-01' where id = $1`,
          [id],
        );
        await sweeper.sweep();
      }
    })();
    for (let round = 0; round < 5; round++) {
      const { tallies } = await examine(scene, '?hashes=true');
      const { halfRemoved: _mayBeUnderWay, ...wrong } = tallies;
      assert.deepEqual(wrong, {});
    }
    over = true;
    await traffic;
  });

  it('finds nothing wrong with a file that is removed between its listing and the look for its row', async () => {
    const { blobs } = sweeper.context.attachments;
    const gone = plantedId();
    const list: typeof blobs.list = async function* (applicationId) {
      yield { applicationId, attachmentId: gone, size: 5 };
      yield* blobs.list(applicationId);
    };
    const attachments = { ...sweeper.context.attachments, blobs: { ...blobs, list } };
    const options = { mend: false, hashes: false, force: false };
    const lines = await gathered(examineAll({ ...sweeper.context, attachments }, options));
    const end = lines.find((line) => line.type === 'end');
    assert.equal(end?.tallies.bytesWithoutAttachment.found, 0);
  });

  it('takes a table that cannot be read for a moment for no proof that the application is gone', async () => {
    const { id } = await upload('needed.txt');
    const { sql } = scene.server.database;
    await sql(`alter table app_${scene.app.id}.attachments rename to away`);
    const { lines } = await examine(scene, '?mend=true&force=true');
    await sql(`alter table app_${scene.app.id}.away rename to attachments`);
    const last = lines.at(-1);
    assert.ok(last?.type === 'stopped');
    assert.match(last.reason, /^The attachments of an application cannot be read: relation .* does not exist/);
    assert.equal(await status(id), 200);
    await well();
  });

  it('goes on where one file cannot be removed, and says that it is left', async () => {
    const [locked, free] = [plantedId(), plantedId()];
    for (const id of [locked, free]) await put(id);
    sweeper.observed.splice(0);
    const { blobs } = sweeper.context.attachments;
    const remove: typeof blobs.remove = async (key) => {
      if (key.attachmentId === locked) throw new Error('EPERM');
      await blobs.remove(key);
    };
    const context = {
      ...sweeper.context,
      attachments: { ...sweeper.context.attachments, blobs: { ...blobs, remove } },
    };
    const lines = await gathered(examineAll(context, { mend: true, hashes: false, force: false }));
    const end = lines.find((line) => line.type === 'end');
    assert.deepEqual(end?.tallies.bytesWithoutAttachment, { found: 2, mended: 1, left: 1 });
    assert.deepEqual(
      sweeper.observed.splice(0).map(({ event }) => event),
      ['attachments.unswept'],
    );
    await blobs.remove({ applicationId: scene.app.id, attachmentId: locked });
    await well();
  });

  it('gives a sign of life while something takes long', async () => {
    const { blobs } = sweeper.context.attachments;
    const applications: typeof blobs.applications = async function* () {
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      yield* blobs.applications();
    };
    const slow = {
      ...sweeper.context,
      attachments: { ...sweeper.context.attachments, blobs: { ...blobs, applications } },
    };
    const lines = await gathered(examineAll(slow, { mend: false, hashes: false, force: false }));
    assert.deepEqual(lines[0], { type: 'progress', step: 'files', done: 0 });
    assert.equal(lines.at(-1)?.type, 'end');
  });

  it('says plainly that the store does not answer, and that a parameter is wrong', async () => {
    await rename(folder, `${folder}-away`);
    const { lines } = await examine(scene, '?mend=true');
    const last = lines.at(-1);
    assert.ok(last?.type === 'stopped');
    assert.match(last.reason, /^The place of the attachments, .*, cannot be read: it has no \.cartulary-attachments/);
    await rename(`${folder}-away`, folder);
    const wrong = await scene.server.operator('POST', '/doctor?mend=yes');
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'INVALID_PARAMETER']);
    await well();
  });

  it('does not repair when more than half of everything is wrong, unless it is forced to', async () => {
    const app = await publishApplication(scene.server, { name: 'Many', ...DOCUMENT });
    const many = { ...scene, app };
    const files = filesOf(many, 'Visits');
    const uploads = await Promise.all(Array.from({ length: 25 }, (_, n) => files.uploadNamed(`${n}.txt`)));
    await rename(join(folder, app.id), join(folder, 'unmounted'));
    const refused = await examine(scene, '?mend=true');
    assert.deepEqual(refused.tallies, { withoutBytes: [25, 0, 25] });
    const sentence = refused.lines.find((line) => line.type === 'refused');
    assert.match(sentence?.reason ?? '', /^25 of \d+ attachments have no file.* is its disk mounted\?$/);
    assert.equal((await rowOf(many, uploads[0]!.id)).state, 'available');
    assert.deepEqual((await examine(scene, '?mend=true&force=true')).tallies, { withoutBytes: [25, 25, 0] });
    assert.equal((await files.get(uploads[0]!.id)).status, 404);
    await rename(join(folder, 'unmounted'), join(folder, app.id));
    assert.deepEqual((await examine(scene, '?mend=true')).tallies, { bytesBack: [25, 25, 0] });
    assert.equal((await files.get(uploads[0]!.id)).status, 200);
    await scene.server.database.sql(`delete from app_${app.id}.attachments`);
    const strangers = await examine(scene, '?mend=true');
    assert.deepEqual(strangers.tallies, { bytesWithoutAttachment: [25, 0, 25] });
    const why = strangers.lines.find((line) => line.type === 'refused');
    assert.match(why?.reason ?? '', /^25 of \d+ files at .* belong to no attachment of this database\./);
    assert.equal(await sweeper.blobs.size({ applicationId: app.id, attachmentId: uploads[0]!.id }), 8);
    assert.deepEqual((await examine(scene, '?mend=true&force=true')).tallies, { bytesWithoutAttachment: [25, 25, 0] });
    await rm(join(folder, 'unmounted'), { recursive: true, force: true });
    await well();
  });
});

describe('the doctor and the sweep on S3', () => {
  let scene: AttachmentScene;
  let sweeper: Sweeper;

  before(async () => {
    scene = await openAttachments('s3', DOCUMENT);
    sweeper = await openSweeper(scene);
  });
  after(async () => {
    await sweeper.close();
    await scene.close();
  });

  it('do what they do on a disk', async () => {
    const applicationId = scene.app.id;
    const files = filesOf(scene, 'Visits');
    const [kept, lost] = [await files.uploadNamed('kept.txt'), await files.uploadNamed('lost.txt')];
    await sweeper.blobs.remove({ applicationId, attachmentId: lost.id });
    for (const part of ['piece-0-node', '256.webp']) {
      await sweeper.blobs.put({ applicationId, attachmentId: kept.id, part }, bytesOf('bytes'));
    }
    await sweeper.blobs.put({ applicationId, attachmentId: plantedId() }, bytesOf('whose?'));
    const { tallies, end } = await examine(scene, '?mend=true&hashes=true');
    assert.deepEqual(tallies, {
      bytesWithoutAttachment: [1, 1, 0],
      leftovers: [1, 1, 0],
      withoutBytes: [1, 1, 0],
    });
    assert.match(end!.looked.place, /^s3:\/\//);
    assert.deepEqual((await examine(scene)).tallies, {});
    await sweeper.sweep(8);
    assert.deepEqual(await scene.store.stored(), []);
    assert.equal((await rowOf(scene, kept.id)).state, 'gone');
    assert.equal((await rowOf(scene, lost.id)).state, 'gone');
  });

  it('report a store that does not answer', async () => {
    const other = await openAttachments('s3', DOCUMENT);
    await other.store.close();
    const { lines } = await examine(other);
    const last = lines.at(-1);
    assert.ok(last?.type === 'stopped' && last.reason.startsWith('The place of the attachments, s3://'), last?.type);
    await other.close().catch(() => undefined);
  });
});
