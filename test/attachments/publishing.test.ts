// Publishing and attachments: a column that can hold some may come later, and who may fetch what follows the definition.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import {
  type AttachmentScene,
  attachment,
  filesOf,
  filled,
  type Metadata,
  openAttachments,
  refusedBytes,
  republish,
} from '../support/attachments.ts';
import { done, operationsOn, refused } from '../support/records.ts';

const THINGS = 'tthings0';
const [TITLE, FILE, FILES, PAIR] = ['ctitle00', 'cfile000', 'cfiles00', 'cpair000'] as const;
const title = { id: TITLE, name: 'Title', type: 'String' };
const file = { id: FILE, name: 'File', type: 'Attachment' };
const files = { id: FILES, name: 'Files', type: 'Array', scheme: { element: { type: 'Attachment' } } };
const note = { name: 'note', type: 'String' };
const scan = { name: 'scan', type: 'Attachment' };
const pairOf = (...keys: object[]) => ({ id: PAIR, name: 'Pair', type: 'Object', scheme: { keys } });
const collectionsOf = (...columns: object[]) => [{ id: THINGS, name: 'Things', columns }];
const pair = (value: object) => ({ type: 'Object', value });

describe('publishing with attachments', () => {
  let scene: AttachmentScene;

  before(async () => {
    scene = await openAttachments('disk', { collections: [] });
  });
  after(() => scene.close());

  interface World {
    readonly app: TestApplication;
    readonly reader: Person;
    publish(columns: object[], query?: string): Promise<void>;
    records(): ReturnType<typeof operationsOn>;
    upload(name: string): Promise<Metadata>;
    /** Whether the reader, who created nothing, may fetch it. */
    assertFetched(file: Metadata, may: boolean, what: string): Promise<void>;
  }

  async function begin(...columns: object[]): Promise<World> {
    const { server } = scene;
    const app = await publishApplication(server, { collections: collectionsOf(...columns) });
    const reader = await app.addPerson('Reader');
    return {
      app,
      reader,
      publish: (next, query) => republish({ server, app }, { collections: collectionsOf(...next) }, query),
      records: () => operationsOn(app, 'Things'),
      upload: (name) => filesOf({ server, app }, 'Things').uploadNamed(name),
      assertFetched: async ({ id }, may, what) => {
        const reply = await filesOf({ server, app }, 'Things', reader.token).get(id);
        if (may) assert.equal(reply.status, 200, what);
        else refusedBytes(reply, 404, 'ATTACHMENT_NOT_FOUND');
      },
    };
  }

  it('takes uploads also where no column can hold them yet', async () => {
    const { publish, upload, assertFetched, records } = await begin(title);
    const early = await upload('early.txt');
    await assertFetched(early, false, 'nothing can hold it');
    await publish([title, file]);
    done(await records().create({ [FILE]: attachment(early) }));
    await assertFetched(early, true, 'held in the new column');
  });

  it('a column added to a collection with records holds attachments of old and new ones', async () => {
    const { publish, records, upload, assertFetched } = await begin(title);
    const old = done(await records().create({ [TITLE]: string('old') }));
    await publish([title, file, files]);
    const [one, two] = [await upload('one'), await upload('two')];
    const merged = done(await records().merge(old.id, { [FILE]: attachment(one) }));
    assert.deepEqual(merged.values, { [TITLE]: string('old'), [FILE]: filled(one) });
    done(await records().create({ [FILES]: { type: 'Array', value: [attachment(two)] } }));
    await assertFetched(one, true, 'held by the old record');
    await assertFetched(two, true, 'held by the new record');
    await publish([{ ...title, name: 'Renamed' }, { ...file, sortable: true, searchable: true }, files]);
    await assertFetched(one, true, 'still held after another publishing');
    assert.equal(done(await records().get(old.id)).values[FILE].name, 'one');
  });

  it('a key added to an Object column holds attachments of records that were there before', async () => {
    const { publish, records, upload, assertFetched } = await begin(pairOf(note));
    const old = done(await records().create({ [PAIR]: pair({ note: string('old') }) }));
    await publish([pairOf(note, scan)]);
    const one = await upload('scan.pdf');
    await assertFetched(one, false, 'not held yet');
    done(await records().merge(old.id, { [PAIR]: pair({ note: string('old'), scan: attachment(one) }) }));
    await assertFetched(one, true, 'held in the new key');
    done(await records().merge(old.id, { [PAIR]: pair({ note: string('old') }) }));
    await assertFetched(one, false, 'let go');
  });

  it('removing the column lets go of what it held, and of nothing else', async () => {
    const { publish, records, upload, assertFetched } = await begin(title, file, files);
    const [one, both] = [await upload('one'), await upload('both')];
    done(await records().create({ [FILE]: attachment(one) }));
    done(await records().create({ [FILE]: attachment(both), [FILES]: { type: 'Array', value: [attachment(both)] } }));
    await publish([title, files], '?allowDataLoss=true');
    await assertFetched(one, false, 'its column is gone');
    await assertFetched(both, true, 'held in the other column');
    await publish([title, file, files]);
    await assertFetched(one, false, 'the column that came back is empty');
    refused(await records().create({ [FILE]: { ...attachment(one), id: one.id.toUpperCase() } }), 400, 'INVALID_VALUE');
    done(await records().create({ [FILE]: attachment(one) }));
    await assertFetched(one, true, 'the admin, who uploaded it, put it in again');
  });

  it('removing the key of an Object lets go of what it held', async () => {
    const { publish, records, upload, assertFetched } = await begin(title, pairOf(note, scan));
    const one = await upload('one');
    const { id } = done(await records().create({ [PAIR]: pair({ note: string('n'), scan: attachment(one) }) }));
    await assertFetched(one, true, 'held');
    await publish([title, pairOf(note)], '?allowDataLoss=true');
    await assertFetched(one, false, 'its key is gone');
    await publish([title, pairOf(note, scan)]);
    await assertFetched(one, false, 'the key that came back is empty');
    assert.equal(done(await records().get(id)).values[PAIR]?.value.scan, undefined);
  });

  it('the current definition decides who may read', async () => {
    const { app, records, upload, assertFetched } = await begin(title, file);
    const one = await upload('one');
    done(await records().create({ [FILE]: attachment(one) }));
    await assertFetched(one, true, 'everyone may read');
    const restricted = { ...collectionsOf(title, file)[0], readAccessType: 'creatorOnly' };
    await republish({ server: scene.server, app }, { collections: [restricted] });
    await assertFetched(one, false, 'only creators may read');
    await republish({ server: scene.server, app }, { collections: collectionsOf(title, file) });
    await assertFetched(one, true, 'everyone may read again');
  });

  it('attachments of a collection that is removed are not there any more', async () => {
    const { app, upload, reader } = await begin(title, file);
    const { id } = await upload('one');
    const document = { collections: [{ id: 'tothers0', name: 'Others', columns: [] }] };
    await republish({ server: scene.server, app }, document, '?allowDataLoss=true');
    for (const token of [reader.token, app.admin.token]) {
      const gone = filesOf({ server: scene.server, app }, THINGS, token);
      refusedBytes(await gone.get(id), 404, 'COLLECTION_NOT_FOUND');
      refusedBytes(
        await filesOf({ server: scene.server, app }, 'tothers0', token).get(id),
        404,
        'ATTACHMENT_NOT_FOUND',
      );
    }
  });
});
