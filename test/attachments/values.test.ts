// Attachment values in records: what a client has to give, what the server fills in, what is refused and in which words,
// through every operation that writes.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, string } from '../support/application.ts';
import {
  type AttachmentScene,
  attachment,
  type Files,
  filesOf,
  filled,
  type Metadata,
  NO_ATTACHMENT,
  openAttachments,
  refusedBytes,
} from '../support/attachments.ts';
import { done, type Operations, operationsOn, refused } from '../support/records.ts';

const [FILE, FILES, PAIR, PAIRS, CODE] = ['cfile000', 'cfiles00', 'cpair000', 'cpairs00', 'ccode000'] as const;
const keys = [
  { name: 'scan', type: 'Attachment' },
  { name: 'note', type: 'String' },
];
const columns = [
  { id: FILE, name: 'File', type: 'Attachment' },
  { id: FILES, name: 'Files', type: 'Array', scheme: { element: { type: 'Attachment' } } },
  { id: PAIR, name: 'Pair', type: 'Object', scheme: { keys } },
  { id: PAIRS, name: 'Pairs', type: 'Array', scheme: { element: { type: 'Object', scheme: { keys } } } },
  { id: CODE, name: 'Code', type: 'String', unique: true, searchable: true },
];
const DOCUMENT = {
  collections: [
    { id: 'tcases00', name: 'Cases', columns },
    { id: 'tothers0', name: 'Others', columns: [{ id: 'cother00', name: 'Other', type: 'Attachment' }] },
  ],
};

/** The value in every place that can hold one, with the path that a refusal names. */
const places = (value: object): Record<string, { values: object; path: string }> => ({
  column: { values: { [FILE]: value }, path: '/id' },
  Array: { values: { [FILES]: { type: 'Array', value: [value] } }, path: '/value/0/id' },
  Object: { values: { [PAIR]: { type: 'Object', value: { scan: value } } }, path: '/value/scan/id' },
  'Array of Objects': {
    values: { [PAIRS]: { type: 'Array', value: [{ type: 'Object', value: { scan: value } }] } },
    path: '/value/0/value/scan/id',
  },
});

describe('Attachment values', () => {
  let scene: AttachmentScene;
  let cases: Operations;
  let files: Files;
  let other: Person;
  let file: Metadata;
  let codes = 0;

  before(async () => {
    scene = await openAttachments('disk', DOCUMENT);
    cases = operationsOn(scene.app, 'Cases');
    files = filesOf(scene, 'Cases');
    other = await scene.app.addPerson('Other');
    file = await files.upload('content', {
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="note.txt"',
    });
  });

  after(() => scene.close());

  const newCode = () => string(`code ${++codes}`);
  const writers = (who: Operations) => {
    const on = async (write: (id: string) => ReturnType<Operations['create']>) =>
      write(done(await who.create({ [CODE]: newCode() })).id);
    return {
      create: (values: object) => who.create({ ...values }),
      'create in a batch': (values: object) => who.createMany([{ values }]),
      'update with replace': (values: object) => on((id) => who.replace(id, { ...values })),
      'update without replace': (values: object) => on((id) => who.merge(id, { ...values })),
      'update in a batch': (values: object) => on((id) => who.updateMany([{ id, values }])),
      'upsert that creates': (values: object) => who.upsert(CODE, { ...values, [CODE]: newCode() }),
      'upsert that updates': async (values: object) => {
        const code = newCode();
        done(await who.create({ [CODE]: code }));
        return who.upsert(CODE, { ...values, [CODE]: code });
      },
      'upsert in a batch': (values: object) => who.upsertMany(CODE, [{ values: { ...values, [CODE]: newCode() } }]),
    };
  };

  it('need only the identifier, wherever they are, whatever writes them', async () => {
    for (const [how, write] of Object.entries(writers(cases))) {
      for (const [where, { values }] of Object.entries(places(attachment(file)))) {
        const record = [done(await write(values))].flat()[0];
        const { [CODE]: _, ...shown } = record.values;
        assert.deepEqual(shown, places(filled(file))[where]!.values, `${how}, ${where}`);
        assert.deepEqual(done(await cases.get(record.id)).values, record.values, `${how}, ${where}`);
      }
    }
  });

  it('have name, contentType and size from the server, whatever the client says', async () => {
    const lies = [
      filled(file),
      { ...filled(file), name: 'lie.exe', contentType: 'image/png', size: 1 },
      { ...attachment(file), name: '', contentType: 'no type', size: -1 },
      { ...attachment(file), name: 5, contentType: {}, size: 'large' },
    ];
    for (const value of lies) {
      const record = done(await cases.create({ [FILE]: value }));
      assert.deepEqual(record.values[FILE], filled(file), JSON.stringify(value));
    }
  });

  it('have no other members, no null, and the right type', async () => {
    const wrong: [object, string | undefined][] = [
      [{ ...attachment(file), hash: 'x' }, undefined],
      [{ ...attachment(file), name: null }, '/name'],
      [{ ...attachment(file), id: null }, '/id'],
      [{ type: 'Attachment' }, undefined],
      [{ type: 'Attachment', id: 'nonsense' }, '/id'],
      [{ type: 'Attachment', id: 5 }, '/id'],
      [{ type: 'User', id: file.id }, '/type'],
      [{ id: file.id }, undefined],
    ];
    for (const [value, path] of wrong) {
      const params = refused(await cases.create({ [FILE]: value }), 400, 'INVALID_VALUE');
      assert.equal(params.columnId, FILE, JSON.stringify(value));
      if (path !== undefined) assert.equal(params.path, path, JSON.stringify(value));
    }
  });

  it('are refused in the same words when unknown, of another collection, or not to be fetched', async () => {
    const ofOthers = await filesOf(scene, 'Others').upload('of another collection');
    const pastTense = await files.upload('being removed');
    const schema = `app_${scene.app.id}`;
    await scene.server.database.sql(`update ${schema}.attachments set state = 'removing' where id = $1`, [
      pastTense.id,
    ]);
    const secret = await files.upload('of the admin alone');
    const asOther = writers(operationsOn(scene.app, 'Cases', other.token));
    for (const [n, [how, write]] of Object.entries(asOther).entries()) {
      for (const [m, target] of [{ id: NO_ATTACHMENT }, ofOthers, pastTense, secret].entries()) {
        // Each way to write meets each of them, and each place all of them.
        const { values, path } = Object.values(places(attachment(target)))[(n + m) % 4]!;
        const params = refused(await write(values), 400, 'INVALID_VALUE');
        const reason = `there is no attachment of this collection with the ID ${target.id}`;
        const { columnId, reason: given, path: where } = params;
        assert.deepEqual([columnId, given, where], [Object.keys(values)[0], reason, path], how);
      }
    }
    const asOtherFiles = filesOf(scene, 'Cases', other.token);
    refusedBytes(await asOtherFiles.get(secret.id), 404, 'ATTACHMENT_NOT_FOUND');
  });

  it('of a read record can be sent back as they are', async () => {
    const second = await files.upload('second');
    const values = {
      [FILE]: attachment(file),
      [FILES]: { type: 'Array', value: [file, second, file].map(attachment) },
      [PAIR]: { type: 'Object', value: { scan: attachment(second), note: string('n') } },
      [PAIRS]: { type: 'Array', value: [{ type: 'Object', value: { scan: attachment(file) } }] },
    };
    const record = done(await cases.create(values));
    assert.deepEqual(record.values[FILES].value, [file, second, file].map(filled));
    const again = done(await cases.replace(record.id, record.values));
    assert.deepEqual(again.values, record.values);
    assert.equal(again.hash, record.hash);
    assert.equal(again.timestamp, record.timestamp);
  });

  it('stay accepted where the record holds them, also after they are gone, and only there', async () => {
    const passing = await filesOf(scene, 'Cases').upload('will be gone', {
      'content-disposition': 'attachment; filename="gone.txt"',
    });
    const record = done(await cases.create({ ...places(attachment(passing)).Array!.values, [CODE]: newCode() }));
    await scene.server.database.sql(`delete from app_${scene.app.id}.attachments where id = $1`, [passing.id]);
    refusedBytes(await files.get(passing.id), 404, 'ATTACHMENT_NOT_FOUND');
    const kept = { type: 'Array', value: [filled(passing)] };
    assert.deepEqual(done(await cases.get(record.id)).values[FILES], kept);
    const lie = {
      type: 'Array',
      value: [attachment(passing), attachment(file), { ...attachment(passing), name: 'x' }],
    };
    for (const write of [
      () => cases.replace(record.id, { ...record.values, [FILES]: lie }),
      () => cases.merge(record.id, { [FILES]: lie }),
      () => cases.updateMany([{ id: record.id, values: { [CODE]: record.values[CODE], [FILES]: lie } }]),
      () => cases.upsert(CODE, { [CODE]: record.values[CODE], [FILES]: lie }),
    ]) {
      const written = [done(await write())].flat()[0];
      assert.deepEqual(written.values[FILES].value, [filled(passing), filled(file), filled(passing)]);
    }
    // In another column of the record, or in another record, it is unknown.
    refused(await cases.merge(record.id, { [FILE]: attachment(passing) }), 400, 'INVALID_VALUE');
    refused(await cases.create({ [FILES]: kept }), 400, 'INVALID_VALUE');
    done(await cases.merge(record.id, { [FILES]: null }));
    refused(await cases.merge(record.id, { [FILES]: kept }), 400, 'INVALID_VALUE');
  });

  it('can be a thousand in an Array, and no more', async () => {
    const several = await Promise.all(Array.from({ length: 20 }, (_, n) => files.uploadNamed(`${n}.txt`)));
    const many = (count: number) => ({
      type: 'Array',
      value: Array.from({ length: count }, (_, n) => attachment(several[n % several.length]!)),
    });
    const record = done(await cases.create({ [FILES]: many(1_000) }));
    assert.deepEqual(record.values[FILES].value[999], filled(several[19]!));
    refused(await cases.create({ [FILES]: many(1_001) }), 400, 'INVALID_VALUE');
    const asOther = filesOf(scene, 'Cases', other.token);
    for (const { id } of several) assert.equal((await asOther.get(id)).status, 200, 'each of them is held');
  });

  it('a batch stops at the first that is not there and keeps what was before it', async () => {
    const good = { values: { [FILE]: attachment(file) } };
    const bad = { values: { [FILE]: attachment({ id: NO_ATTACHMENT }) } };
    const params = refused(await cases.createMany([good, good, bad, good]), 400, 'INVALID_VALUE');
    assert.equal(params.recordIndex, 2);
    assert.equal(params.insertedRecords.length, 2);
    assert.deepEqual(params.insertedRecords[0].values[FILE], filled(file));
  });

  it('of an upload that is not finished can be held already', async () => {
    const coming = await files.upload('soon there');
    const schema = `app_${scene.app.id}`;
    await scene.server.database.sql(`update ${schema}.attachments set state = 'pending' where id = $1`, [coming.id]);
    const record = done(await cases.create({ [FILE]: attachment(coming) }));
    assert.equal(record.values[FILE].name, coming.name);
    refusedBytes(await files.get(coming.id), 404, 'ATTACHMENT_NOT_FOUND');
    await scene.server.database.sql(`update ${schema}.attachments set state = 'available' where id = $1`, [coming.id]);
    assert.equal((await files.get(coming.id)).bytes.toString(), 'soon there');
  });
});
