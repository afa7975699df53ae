// An upload: what it answers, media types, bodies with and without a length, whose it becomes, and what is checked first.

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import {
  exchange,
  type Files,
  filesOf,
  onBothStores,
  randomFile,
  refusedBytes,
  traces,
  uploaded,
} from '../support/attachments.ts';
import { head, onWire } from '../support/http-client.ts';
import { NO_USER } from '../support/records.ts';

const LIMIT_BYTES = 200_000;
const DOCUMENT = {
  maxAttachmentBytes: LIMIT_BYTES,
  collections: [{ id: 'tfiles00', name: 'Files', columns: [{ name: 'File', type: 'Attachment' }] }],
};

onBothStores('upload', { document: DOCUMENT }, (scene) => {
  let files: Files;
  let other: Person;
  let outsider: Person;
  let elsewhere: TestApplication;

  before(async () => {
    const { app, server } = scene();
    files = filesOf(scene(), 'Files');
    other = await app.addPerson('Other');
    outsider = await app.addPerson('Outsider', { apiAccess: false });
    elsewhere = await publishApplication(server, {
      collections: [{ id: 'telsewhe', name: 'Elsewhere', columns: [{ name: 'File', type: 'Attachment' }] }],
    });
  });

  /** What is refused must leave no row and no bytes. */
  async function leavesNothing(work: () => Promise<unknown>): Promise<void> {
    const before = await traces(scene());
    await work();
    assert.deepEqual(await traces(scene()), before);
  }

  it('answers id, name, contentType and size, and nothing else', async () => {
    const bytes = randomFile(12_345);
    const reply = await files.send(bytes, {
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename="a b.png"',
    });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8');
    const { id, ...rest } = reply.body;
    assert.match(id, /^a[0-9a-v]{26}$/);
    assert.deepEqual(rest, { name: 'a b.png', contentType: 'image/png', size: 12_345 });
    const back = await files.get(id);
    assert.equal(back.status, 200);
    assert.ok(back.bytes.equals(bytes), 'the same bytes');
  });

  it('makes an attachment of its own each time, in the order of their identifiers', async () => {
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push((await files.upload('the same')).id);
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(ids).size, 3);
  });

  it('takes any valid Content-Type and gives it back', async () => {
    const given: [string | undefined, string][] = [
      [undefined, 'application/octet-stream'],
      ['', 'application/octet-stream'],
      ['image/png', 'image/png'],
      ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
      ['text/html;charset="with blank \\" and ;"', 'text/html;charset="with blank \\" and ;"'],
      ['application/json', 'application/json'],
      ['Application/VND.some-thing+xml', 'Application/VND.some-thing+xml'],
      ['x-unheard/of', 'x-unheard/of'],
      ['multipart/mixed; boundary=abc', 'multipart/mixed; boundary=abc'],
      [`a/${'b'.repeat(253)}`, `a/${'b'.repeat(253)}`],
    ];
    for (const [sent, expected] of given) {
      const { id, contentType } = await files.upload('{ no JSON', sent === undefined ? {} : { 'content-type': sent });
      assert.equal(contentType, expected, String(sent));
      const back = await files.get(id);
      assert.equal(back.headers['content-type'], expected, String(sent));
      assert.equal(back.bytes.toString(), '{ no JSON', String(sent));
    }
  });

  it('refuses a malformed Content-Type', () =>
    leavesNothing(async () => {
      const malformed = [
        'nonsense',
        'a/b/c',
        'text/',
        '/plain',
        'text/plain; charset',
        'text/plain, text/html',
        'a b/c',
      ];
      for (const type of [...malformed, 'text/pl\u00e4in', 'text/plain; a="b', `a/${'b'.repeat(254)}`]) {
        const params = refusedBytes(await files.send('x', { 'content-type': type }), 400, 'INVALID_CONTENT_TYPE');
        assert.equal(typeof params.reason, 'string', type);
      }
    }));

  it('refuses an encoded body, and takes one that says it is not', async () => {
    await leavesNothing(async () => {
      for (const encoding of ['gzip', 'br', 'identity, gzip']) {
        const reply = await files.send(gzipSync('x'), { 'content-encoding': encoding });
        refusedBytes(reply, 400, 'INVALID_CONTENT_TYPE');
      }
    });
    const { id } = await files.upload('plain', { 'content-encoding': 'identity' });
    assert.equal((await files.get(id)).bytes.toString(), 'plain');
  });

  it('takes an empty file, however it is sent', async () => {
    const declared = await files.upload('');
    const chunked = uploaded(await files.send('', {}, { chunked: true }));
    const { app, server } = scene();
    const bare = await onWire(server.address, async (wire) => {
      wire.write(head('POST', files.path, { authorization: `Bearer ${app.admin.token}` }));
      return (await wire.answer()).body;
    });
    for (const [how, { id, size }] of Object.entries({ declared, chunked, bare })) {
      assert.equal(size, 0, how);
      const back = await files.get(id);
      assert.equal(back.status, 200, how);
      assert.equal(back.headers['content-length'], '0', how);
      assert.equal(back.bytes.length, 0, how);
    }
  });

  it('accepts a body without a declared length', async () => {
    const bytes = randomFile(150_001);
    const { id, size } = uploaded(await files.send(bytes, {}, { chunked: true }));
    assert.equal(size, 150_001);
    assert.ok((await files.get(id)).bytes.equals(bytes));
  });

  it('refuses a collection that the application does not have', () =>
    leavesNothing(async () => {
      for (const collectionId of ['tnothere', 'telsewhe']) {
        const params = refusedBytes(await filesOf(scene(), collectionId).send('x'), 404, 'COLLECTION_NOT_FOUND');
        assert.deepEqual(params, { collectionId });
      }
      refusedBytes(await filesOf(scene(), 'Files!').send('x'), 400, 'INVALID_COLLECTION_ID');
    }));

  it('is of the user that an admin names', async () => {
    const asOther = filesOf(scene(), 'Files', other.token);
    const { id } = await files.upload('for the other', { 'x-service-creatorid': other.id });
    assert.equal((await asOther.get(id)).bytes.toString(), 'for the other');
    const mine = await files.upload('for me', { 'x-service-creatorid': scene().app.admin.id });
    refusedBytes(await asOther.get(mine.id), 404, 'ATTACHMENT_NOT_FOUND');
    const [row] = await scene().server.database.sql(
      `select created_by from app_${scene().app.id}.attachments where id = $1`,
      [id],
    );
    assert.deepEqual(row, [other.id]);
  });

  it('refuses a creator who is malformed, unknown, or named by a user who is not an admin', () =>
    leavesNothing(async () => {
      for (const malformed of ['nobody', 'U1234567', 'u123456', 'u12345678', '']) {
        const params = refusedBytes(
          await files.send('x', { 'x-service-creatorid': malformed }),
          400,
          'INVALID_PARAMETER',
        );
        assert.equal(params.parameter, 'X-Service-CreatorId', malformed);
      }
      const asOther = filesOf(scene(), 'Files', other.token);
      for (const creatorId of [other.id, scene().app.admin.id, NO_USER]) {
        refusedBytes(await asOther.send('x', { 'x-service-creatorid': creatorId }), 403, 'ADMIN_REQUIRED');
      }
      const strangers = [NO_USER, elsewhere.admin.id];
      for (const creatorId of strangers) {
        refusedBytes(await files.send('x', { 'x-service-creatorid': creatorId }), 400, 'INVALID_CREATOR');
      }
    }));

  it('checks path, credentials, permission, form, admin and creator in this order', () =>
    leavesNothing(async () => {
      const wrong = { 'x-service-creatorid': NO_USER, 'content-type': 'nonsense' };
      const shapeless = { 'x-service-creatorid': 'nonsense' };
      const large = randomFile(LIMIT_BYTES + 1);
      const { app } = scene();
      const send = (path: string, token: string, headers: Record<string, string>, body: Uint8Array | string = large) =>
        exchange(scene().server.address, 'POST', path, { token, headers, body });
      const badPath = files.path.replace('tfiles00', 'nonsense');
      refusedBytes(await send(badPath, 'nonsense', wrong), 400, 'INVALID_COLLECTION_ID');
      refusedBytes(await send(files.path, 'nonsense', wrong), 401, 'UNAUTHORIZED');
      refusedBytes(await send(files.path, elsewhere.admin.token, wrong), 401, 'UNAUTHORIZED');
      refusedBytes(await send(files.path, outsider.token, wrong), 403, 'API_ACCESS_REQUIRED');
      refusedBytes(await send(files.path, other.token, wrong), 400, 'INVALID_CONTENT_TYPE');
      refusedBytes(await send(files.path, other.token, shapeless), 400, 'INVALID_PARAMETER');
      const named = { 'x-service-creatorid': NO_USER };
      refusedBytes(await send(files.path, other.token, named), 400, 'INVALID_BODY');
      refusedBytes(await send(files.path, other.token, named, 'x'), 403, 'ADMIN_REQUIRED');
      refusedBytes(await send(files.path, app.admin.token, named), 400, 'INVALID_BODY');
      refusedBytes(await send(files.path, app.admin.token, named, 'x'), 400, 'INVALID_CREATOR');
    }));

  it('does not get into others at the same time', async () => {
    const bodies = Array.from({ length: 24 }, (_, n) => randomFile(1 + ((n * 7919) % LIMIT_BYTES)));
    const sent = await Promise.all(bodies.map((body, n) => files.send(body, {}, { chunked: n % 2 === 0 })));
    const back = await Promise.all(sent.map((reply) => files.get(uploaded(reply).id)));
    for (const [n, { status, bytes }] of back.entries()) {
      assert.equal(status, 200);
      assert.ok(bytes.equals(bodies[n]!), `file ${n} of ${bodies[n]!.length} bytes came back with ${bytes.length}`);
    }
  });
});
