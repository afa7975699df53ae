// The activity log of attachments: one entry for each upload and each download, and none for what was refused, asked
// about, or not needed.

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import sharp from 'sharp';
import { type Person, publishApplication } from '../support/application.ts';
import {
  attachmentActivities,
  type Files,
  filesOf,
  type Metadata,
  NO_ATTACHMENT,
  onBothStores,
  refusedBytes,
} from '../support/attachments.ts';
import { everywhere, onTable } from '../support/nodes.ts';

const LIMIT_BYTES = 10_000;
const COLLECTIONS = [{ id: 'tfiles00', name: 'Files "quoted"', columns: [{ name: 'File', type: 'Attachment' }] }];
const FILES = COLLECTIONS[0]!.name;
const DOCUMENT = { name: 'Log "test"', maxAttachmentBytes: LIMIT_BYTES, collections: COLLECTIONS };

onBothStores('attachment activities', { document: DOCUMENT }, (scene) => {
  let files: Files;
  let file: Metadata;
  let other: Person;

  before(async () => {
    other = await scene().app.addPerson('Other "quoted" \\');
    files = filesOf(scene(), FILES);
    file = await files.upload('0123456789');
  });

  /** What `work` leaves in the log. */
  async function logged(work: () => Promise<unknown>): Promise<string[]> {
    const before = (await attachmentActivities(scene())).length;
    await work();
    const entries = (await attachmentActivities(scene())).slice(before);
    return entries.map(({ subType, extra }) => `${subType} ${extra.attachmentId}`);
  }

  it('are written again after a deadlock', async () => {
    const { server, app } = scene();
    const schema = `app_${app.id}`;
    await everywhere(server.database, 'create sequence public.tries');
    await everywhere(
      server.database,
      `create function public.deadlock_once() returns trigger language plpgsql as $$ begin
      if nextval('public.tries') = 1 then raise exception 'deadlock' using errcode = '40P01'; end if;
      return new; end $$`,
    );
    const trigger =
      'create trigger deadlock_once before insert on %s for each row execute function public.deadlock_once()';
    await onTable(server.database, `${schema}.activity`, trigger);
    try {
      assert.deepEqual(await logged(() => files.get(file.id)), [`download ${file.id}`]);
    } finally {
      await onTable(server.database, `${schema}.activity`, 'drop trigger deadlock_once on %s');
    }
  });

  it('say when, what, who, where and which attachment', async () => {
    const before = (await attachmentActivities(scene())).length;
    const { id } = await filesOf(scene(), FILES, other.token).upload('x');
    await files.get(id);
    const entries = (await attachmentActivities(scene())).slice(before);
    const { app } = scene();
    const common = {
      type: 'attachment',
      application: { id: app.id, name: 'Log "test"', version: 1 },
      collection: { id: 'tfiles00', name: FILES },
      source: { context: 'api', ip: '127.0.0.1' },
      extra: { attachmentId: id },
    };
    assert.deepEqual(
      entries.map(({ date: _, ...entry }) => entry),
      [
        { ...common, subType: 'create', user: { id: other.id, name: other.name } },
        { ...common, subType: 'download', user: { id: app.admin.id, name: 'Admin' } },
      ],
    );
    for (const { date } of entries) assert.match(date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(entries[0].date <= entries[1].date);
  });

  it('of an upload for another user name the admin who made it', async () => {
    const before = (await attachmentActivities(scene())).length;
    await files.upload('x', { 'x-service-creatorid': other.id });
    const [entry] = (await attachmentActivities(scene())).slice(before);
    assert.equal(entry.user.id, scene().app.admin.id);
  });

  it('are written for whole files and for parts', async () => {
    const one = [`download ${file.id}`];
    assert.deepEqual(await logged(() => files.get(file.id)), one);
    assert.deepEqual(await logged(() => files.get(file.id, { range: 'bytes=1-2' })), one);
    assert.deepEqual(await logged(() => files.get(file.id, { 'if-none-match': '"other"' })), one);
  });

  it('are not written for 304, HEAD, 404, 416 and other refusals', async () => {
    const { etag = '' } = (await files.get(file.id)).headers;
    const asOther = filesOf(scene(), FILES, other.token);
    const quiet: [number, () => ReturnType<Files['get']>][] = [
      [304, () => files.get(file.id, { 'if-none-match': etag })],
      [200, () => files.head(file.id)],
      [200, () => files.head(file.id, { range: 'bytes=1-2' })],
      [404, () => files.get(NO_ATTACHMENT)],
      [404, () => asOther.get(file.id)],
      [416, () => files.get(file.id, { range: 'bytes=99-' })],
      [400, () => files.get(file.id, {}, '?size=5')],
      [400, () => files.get(file.id, {}, '?size=64')],
      [401, () => filesOf(scene(), FILES, 'nonsense').get(file.id)],
    ];
    for (const [status, ask] of quiet) {
      const entries = await logged(async () => assert.equal((await ask()).status, status));
      assert.deepEqual(entries, [], String(status));
    }
  });

  it('are written for small pictures as for files', async () => {
    const create = { width: 300, height: 200, channels: 3 as const, background: 'red' };
    const { id } = await files.upload(await sharp({ create }).jpeg().toBuffer());
    const sized = (ask: Files['get'], headers = {}) => ask(id, headers, '?size=64');
    assert.deepEqual(await logged(() => sized(files.head)), [], 'HEAD that makes it');
    assert.deepEqual(await logged(() => sized(files.get)), [`download ${id}`]);
    assert.deepEqual(await logged(() => sized(files.get)), [`download ${id}`], 'kept');
    assert.deepEqual(await logged(() => sized(files.head)), [], 'HEAD');
    const { etag = '' } = (await sized(files.get)).headers;
    assert.deepEqual(await logged(() => sized(files.get, { 'if-none-match': etag })), [], '304');
  });

  it('are not written for uploads that failed', async () => {
    const large = Buffer.alloc(LIMIT_BYTES + 1);
    const failing: (() => ReturnType<Files['send']>)[] = [
      () => files.send(large),
      () => files.send(large, {}, { chunked: true }),
      () => files.send('x', { 'content-type': 'nonsense' }),
      () => files.send('x', { 'x-service-creatorid': 'u0000000' }),
      () => filesOf(scene(), 'tnothere').send('x'),
    ];
    for (const send of failing) {
      const entries = await logged(async () => assert.ok((await send()).status >= 400));
      assert.deepEqual(entries, []);
    }
  });

  it('are not written for an application that keeps no log', async () => {
    const { server } = scene();
    const collections = [{ name: 'Silent', columns: [{ name: 'File', type: 'Attachment' }] }];
    const app = await publishApplication(server, { activityLogEnabled: false, collections });
    const silent = filesOf({ server, app }, 'Silent');
    const { id } = await silent.upload('x');
    assert.equal((await silent.get(id)).status, 200);
    assert.deepEqual(await attachmentActivities({ server, app }), []);
    refusedBytes(await silent.get(file.id), 404, 'ATTACHMENT_NOT_FOUND');
  });
});
