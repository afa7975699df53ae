// Who may fetch an attachment: its creator, admins, and whoever may read a record that holds it. For others it is not
// there, and nobody gets it by putting its identifier into a record.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, string } from '../support/application.ts';
import {
  type AttachmentScene,
  attachment,
  filesOf,
  type Metadata,
  openAttachments,
  refusedBytes,
} from '../support/attachments.ts';
import { done, type Operations, operationsOn, refused } from '../support/records.ts';

const ACCESS = ['everyone', 'creatorOnly'] as const;
type Access = (typeof ACCESS)[number];
const keys = [{ name: 'scan', type: 'Attachment' }];
const columnsOf = (n: number) => [
  { id: `cfile00${n}`, name: 'File', type: 'Attachment' },
  { id: `cfiles0${n}`, name: 'Files', type: 'Array', scheme: { element: { type: 'Attachment' } } },
  { id: `cpair00${n}`, name: 'Pair', type: 'Object', scheme: { keys } },
  { id: `cpairs0${n}`, name: 'Pairs', type: 'Array', scheme: { element: { type: 'Object', scheme: { keys } } } },
  { id: `ccode00${n}`, name: 'Code', type: 'String', unique: true, searchable: true },
];
const DOCUMENT = {
  collections: ACCESS.map((readAccessType, n) => ({
    id: `tread00${n}`,
    name: readAccessType,
    readAccessType,
    writeAccessType: 'everyone',
    columns: columnsOf(n),
  })),
};

describe('access to attachments', () => {
  let scene: AttachmentScene;
  const people = {} as Record<'creator' | 'holder' | 'stranger' | 'admin' | 'outsider', Person>;
  let codes = 0;

  before(async () => {
    scene = await openAttachments('disk', DOCUMENT);
    people.creator = await scene.app.addPerson('Creator');
    people.holder = await scene.app.addPerson('Holder');
    people.stranger = await scene.app.addPerson('Stranger');
    people.admin = await scene.app.addPerson('Second admin', { admin: true });
    people.outsider = await scene.app.addPerson('Outsider', { apiAccess: false });
  });
  after(() => scene.close());

  const filesAs = (access: Access, who: keyof typeof people) => filesOf(scene, access, people[who].token);
  const recordsAs = (access: Access, who: keyof typeof people) => operationsOn(scene.app, access, people[who].token);

  /** The value in every place of a record that can hold it. */
  function places(access: Access, file: { id: string }): Record<string, Record<string, object>> {
    const n = ACCESS.indexOf(access);
    const pair = { type: 'Object', value: { scan: attachment(file) } };
    return {
      column: { [`cfile00${n}`]: attachment(file) },
      Array: { [`cfiles0${n}`]: { type: 'Array', value: [attachment(file)] } },
      Object: { [`cpair00${n}`]: pair },
      'Array of Objects': { [`cpairs0${n}`]: { type: 'Array', value: [pair, pair] } },
    };
  }
  const code = (access: Access, text = `code ${++codes}`) => ({ [`ccode00${ACCESS.indexOf(access)}`]: string(text) });

  async function assertFetched(
    access: Access,
    { id }: Metadata,
    expected: Partial<Record<keyof typeof people, boolean>>,
  ) {
    for (const [who, may] of Object.entries(expected) as [keyof typeof people, boolean][]) {
      const files = filesAs(access, who);
      if (may) {
        assert.equal((await files.get(id)).status, 200, `${who} may`);
        assert.equal((await files.head(id)).status, 200, `${who} may`);
        // Not an image, which only those are told who may fetch it.
        refusedBytes(await files.get(id, {}, '?size=64'), 400, 'INVALID_PARAMETER');
        continue;
      }
      for (const [query, headers] of [
        ['', {}],
        ['', { 'if-none-match': '*' }],
        ['?size=64', { range: 'bytes=0-' }],
        ['?size=nonsense', {}],
      ] as [string, Record<string, string>][]) {
        const params = refusedBytes(await files.get(id, headers, query), 404, 'ATTACHMENT_NOT_FOUND');
        assert.deepEqual(params, { attachmentId: id }, `${who} may not`);
      }
      assert.equal((await files.head(id)).status, 404, `${who} may not`);
    }
  }

  for (const access of ACCESS) {
    it(`read ${access}: held by nothing, it is for its creator and admins`, async () => {
      const file = await filesAs(access, 'creator').upload('mine');
      await assertFetched(access, file, { creator: true, admin: true, holder: false, stranger: false });
      refusedBytes(await filesAs(access, 'outsider').get(file.id), 403, 'API_ACCESS_REQUIRED');
    });

    it(`read ${access}: users who may read a record that holds it may fetch it, until the record lets go`, async () => {
      const readers = { creator: true, admin: true, stranger: access === 'everyone' };
      for (const where of Object.keys(places(access, { id: '' }))) {
        const file = await filesAs(access, 'creator').upload(`held in ${where}`);
        // An admin puts it into a record of the holder's.
        const asAdmin = recordsAs(access, 'admin');
        const held = { ...places(access, file)[where], ...code(access) };
        const record = done(await asAdmin.create(held, { creatorId: people.holder.id }));
        await assertFetched(access, file, { ...readers, holder: true });

        done(await asAdmin.replace(record.id, code(access)));
        await assertFetched(access, file, { creator: true, admin: true, holder: false, stranger: false });
        done(await asAdmin.merge(record.id, places(access, file)[where]!));
        await assertFetched(access, file, { ...readers, holder: true });
        const column = Object.keys(places(access, file)[where]!)[0]!;
        done(await asAdmin.merge(record.id, { [column]: null }));
        await assertFetched(access, file, { holder: false, stranger: false });
        done(await asAdmin.merge(record.id, places(access, file)[where]!));
        assert.equal((await asAdmin.remove(record.id)).status, 204);
        await assertFetched(access, file, { creator: true, admin: true, holder: false, stranger: false });
      }
    });

    it(`read ${access}: of two records that hold it, one is enough`, async () => {
      const file = await filesAs(access, 'creator').upload('held twice');
      const asAdmin = recordsAs(access, 'admin');
      const hold = () => asAdmin.create(places(access, file).Array!, { creatorId: people.holder.id });
      const [first, second] = [done(await hold()), done(await hold())];
      assert.equal((await asAdmin.remove(first.id)).status, 204);
      await assertFetched(access, file, { holder: true, stranger: access === 'everyone' });
      assert.equal((await asAdmin.remove(second.id)).status, 204);
      await assertFetched(access, file, { holder: false, stranger: false });
    });

    it(`read ${access}: putting its identifier into a record of their own gives no user access`, async () => {
      const file = await filesAs(access, 'creator').upload('wanted by the stranger');
      const mine = recordsAs(access, 'stranger');
      const kept = code(access);
      const { id } = done(await mine.create(kept));
      const keyColumn = Object.keys(kept)[0]!;
      for (const [where, values] of Object.entries(places(access, file))) {
        for (const [how, write] of Object.entries(writes(mine, { id, values, kept, keyColumn }))) {
          refused(await write(), 400, 'INVALID_VALUE');
          const reply = await filesAs(access, 'stranger').get(file.id);
          refusedBytes(reply, 404, 'ATTACHMENT_NOT_FOUND');
          const now = done(await mine.get(id)).values;
          assert.deepEqual(now, kept, `${how}, ${where}: the record holds what it held`);
        }
      }
      await assertFetched(access, file, { stranger: false });
      const [[records]] = (await scene.server.database.sql(
        `select count(*)::int from app_${scene.app.id}.tread00${ACCESS.indexOf(access)} where rec like $1`,
        [`%${file.id}%`],
      )) as [[number]];
      assert.equal(records, 0, 'no record holds it');
    });
  }

  function writes(
    who: Operations,
    { id, values, kept, keyColumn }: { id: string; values: object; kept: object; keyColumn: string },
  ) {
    const fresh = () => ({ ...values, [keyColumn]: string(`code ${++codes}`) });
    return {
      create: () => who.create({ ...values }),
      'create in a batch': () => who.createMany([{ values }]),
      'update with replace': () => who.replace(id, { ...kept, ...values }),
      'update without replace': () => who.merge(id, { ...values }),
      'update in a batch': () => who.updateMany([{ id, values: { ...kept, ...values } }]),
      'upsert that updates': () => who.upsert(keyColumn, { ...values, ...kept }),
      'upsert that creates': () => who.upsert(keyColumn, fresh()),
      'upsert in a batch': () => who.upsertMany(keyColumn, [{ values: { ...values, ...kept } }]),
    };
  }

  it('users who may fetch one through a record may put it into theirs, and keep it', async () => {
    const file = await filesAs('everyone', 'creator').upload('handed on');
    const first = done(await recordsAs('everyone', 'creator').create(places('everyone', file).column!));
    done(await recordsAs('everyone', 'stranger').create(places('everyone', file).Array!));
    assert.equal((await recordsAs('everyone', 'creator').remove(first.id)).status, 204);
    await assertFetched('everyone', file, { stranger: true, holder: true });
  });

  it('an unreadable record of another user gives no access, in either direction', async () => {
    const file = await filesAs('creatorOnly', 'creator').upload('in my own record');
    const record = done(await recordsAs('creatorOnly', 'creator').create(places('creatorOnly', file).column!));
    await assertFetched('creatorOnly', file, { creator: true, admin: true, stranger: false, holder: false });
    const asStranger = recordsAs('creatorOnly', 'stranger');
    for (const values of Object.values(places('creatorOnly', file))) {
      refused(await asStranger.merge(record.id, values), 404, 'RECORD_NOT_FOUND');
    }
    // Not even with the key of the record that holds it.
    const kept = code('creatorOnly');
    done(await recordsAs('creatorOnly', 'creator').create({ ...places('creatorOnly', file).column, ...kept }));
    const keyColumn = Object.keys(kept)[0]!;
    const met = await asStranger.upsert(keyColumn, { ...kept, ...places('creatorOnly', file).column });
    assert.ok(met.status === 403 || met.status === 400, met.text);
    assert.doesNotMatch(met.text, /in my own record|Unknonwn/);
    await assertFetched('creatorOnly', file, { stranger: false });
  });
});
