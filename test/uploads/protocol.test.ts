// Announced uploads, request by request: what is answered, to whom, and what is refused.

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Person } from '../support/application.ts';
import {
  attachment,
  attachmentActivities,
  type BytesReply,
  exchange,
  type Files,
  filesOf,
  filled,
  NO_ATTACHMENT,
  onBothStores,
  randomFile,
  refusedBytes,
  republish,
  sha256,
  traces,
} from '../support/attachments.ts';
import { onWire } from '../support/http-client.ts';
import { NO_USER } from '../support/records.ts';
import { assertAppended, DOCUMENT, MIB, metadata, type Uploads, uploadsOf } from '../support/uploads.ts';

const DAY_MS = 86_400_000;

onBothStores('announced upload', { document: DOCUMENT, settings: { announcedDays: 3 } }, (scene) => {
  let uploads: Uploads;
  let files: Files;
  let other: Person;

  before(async () => {
    const { app, server } = scene();
    uploads = uploadsOf(server.address, app);
    files = filesOf(scene(), 'Files');
    other = await app.addPerson('Other');
  });

  const by = (token: string) => uploadsOf(scene().server.address, scene().app, { token });

  function assertExpires(reply: BytesReply): void {
    const leftMs = Date.parse(String(reply.headers['upload-expires'])) - Date.now();
    assert.ok(leftMs > 2.99 * DAY_MS && leftMs < 3.01 * DAY_MS, String(reply.headers['upload-expires']));
  }

  it('is announced with its metadata, gets an address, and becomes an attachment with the last byte', async () => {
    const bytes = randomFile(300_000);
    const described = metadata({ filename: 'a b.png', filetype: 'image/png', more: 'ignored' });
    const reply = await uploads.announce(bytes.length, { 'upload-metadata': described });
    assert.equal(reply.status, 201);
    const { id, ...rest } = reply.body;
    assert.deepEqual(rest, { name: 'a b.png', contentType: 'image/png', size: bytes.length });
    assert.equal(reply.headers.location, `${scene().server.address}${uploads.path}/${id}`);
    assert.equal(reply.headers['tus-resumable'], '1.0.0');
    assert.equal(reply.headers['upload-offset'], '0');
    assertExpires(reply);

    const state = await uploads.state(id);
    assert.equal(state.status, 200);
    assert.equal(state.headers['upload-offset'], '0');
    assert.equal(state.headers['upload-length'], String(bytes.length));
    assert.equal(state.headers['upload-metadata'], metadata({ filename: 'a b.png', filetype: 'image/png' }));
    assert.equal(state.headers['cache-control'], 'no-store');
    assert.equal(state.headers['tus-resumable'], '1.0.0');
    assertExpires(state);

    refusedBytes(await files.get(id), 404, 'ATTACHMENT_NOT_FOUND');
    const first = await uploads.append(id, 0, bytes.subarray(0, 100_000));
    assertAppended(first, 100_000);
    assertExpires(first);
    assert.equal(await uploads.offset(id), 100_000);
    refusedBytes(await files.get(id), 404, 'ATTACHMENT_NOT_FOUND');
    assertAppended(await uploads.append(id, 100_000, bytes.subarray(100_000), { chunked: true }), bytes.length);

    const back = await files.get(id);
    assert.equal(back.status, 200);
    assert.ok(back.bytes.equals(bytes));
    assert.equal(back.headers.etag, `"${sha256(bytes)}"`);
    assert.equal(back.headers['content-type'], 'image/png');
    assert.match(String(back.headers['content-disposition']), /filename="a b.png"/);
    const done = await uploads.state(id);
    assert.equal(done.headers['upload-offset'], String(bytes.length));
    assert.equal(done.headers['upload-length'], String(bytes.length));
    assert.equal(done.headers['upload-expires'], undefined);
    const activities = (await attachmentActivities(scene())).filter((entry) => JSON.stringify(entry).includes(id));
    assert.equal(activities[0]?.subType, 'create', JSON.stringify(activities));
    assert.equal(activities.filter(({ subType }) => subType === 'create').length, 1);
    const left = (await scene().store.stored()).filter((name) => name.includes(id));
    assert.equal(left.length, 1, left.join(', '));
  });

  it('is held by a record before its bytes are there', async () => {
    const { app } = scene();
    const bytes = randomFile(50_000);
    const announced = await uploads.announced(bytes.length, { 'upload-metadata': metadata({ name: 'later.bin' }) });
    const values = { [app.ids.Files!.File!]: attachment(announced) };
    const record = await app.send('POST', app.records('Files'), { json: { values } });
    assert.equal(record.status, 200, record.text);
    assert.deepEqual(record.body.values[app.ids.Files!.File!], filled(announced));
    refusedBytes(await files.get(announced.id), 404, 'ATTACHMENT_NOT_FOUND');
    assertAppended(await uploads.append(announced.id, 0, bytes), bytes.length);
    const reader = filesOf(scene(), 'Files', other.token);
    const back = await reader.get(announced.id);
    assert.ok(back.bytes.equals(bytes));
    const again = await app.send('GET', app.records('Files', record.body.id));
    assert.deepEqual(again.body.values, record.body.values);
  });

  it('comes in pieces when it is large, and is the same', async () => {
    const bytes = randomFile(20 * MIB + 1);
    const { id } = await uploads.announced(bytes.length);
    assertAppended(await uploads.append(id, 0, bytes.subarray(0, 17 * MIB)), 17 * MIB);
    const [[pieces] = []] = await scene().server.database.sql(
      `select pieces from app_${scene().app.id}.attachments where id = $1`,
      [id],
    );
    const sizes = (JSON.parse(pieces as string) as { size: number }[]).map(({ size }) => size);
    assert.deepEqual(sizes, [8 * MIB, 8 * MIB, MIB]);
    assertAppended(await uploads.append(id, 17 * MIB, bytes.subarray(17 * MIB)), bytes.length);
    assert.equal(sha256((await files.get(id)).bytes), sha256(bytes));
  });

  it('of no bytes is there at once', async () => {
    const reply = await uploads.announce(0, { 'upload-metadata': 'filename' });
    assert.equal(reply.status, 201);
    assert.equal(reply.headers['upload-offset'], '0');
    assert.equal(reply.headers['upload-expires'], undefined);
    assert.equal(reply.body.name, 'Unknonwn');
    const back = await files.get(reply.body.id);
    assert.deepEqual([back.status, back.bytes.length], [200, 0]);
    assert.equal(await uploads.offset(reply.body.id), 0);
  });

  it('has any name, and any of the keys that clients use', async () => {
    for (const [header, name, contentType] of [
      [metadata({ filename: '現場の写真 📷.jpg' }), '現場の写真 📷.jpg', 'application/octet-stream'],
      [
        metadata({ name: '../../etc/pass\u0000wd', contentType: 'text/plain; charset=utf-8' }),
        'passwd',
        'text/plain; charset=utf-8',
      ],
      [metadata({ name: 'second', filename: 'first', filetype: '' }), 'first', 'application/octet-stream'],
      [` ${metadata({ filename: 'a' })} , other`, 'a', 'application/octet-stream'],
      [`unknown !!!,${metadata({ filename: 'b' })}`, 'b', 'application/octet-stream'],
      [metadata({ filename: 'c' }).replaceAll('=', ''), 'c', 'application/octet-stream'],
      ['', 'Unknonwn', 'application/octet-stream'],
    ] as const) {
      const announced = await uploads.announced(1, { 'upload-metadata': header });
      assert.deepEqual([announced.name, announced.contentType], [name, contentType], header);
    }
  });

  it('refuses metadata that cannot be read', async () => {
    for (const header of [
      'filename !!!',
      'filename YQ== more',
      ',',
      'filename YQ==,',
      `filename ${Buffer.from([0xff]).toString('base64')}`,
      'filename YQ==,filename YQ==',
      'filename Y',
    ]) {
      const params = refusedBytes(await uploads.announce(1, { 'upload-metadata': header }), 400, 'INVALID_PARAMETER');
      assert.equal(params.parameter, 'Upload-Metadata', header);
    }
    const type = metadata({ filetype: 'no type' });
    refusedBytes(await uploads.announce(1, { 'upload-metadata': type }), 400, 'INVALID_CONTENT_TYPE');
  });

  it('refuses a length that is none, or too large', async () => {
    for (const length of ['', '-1', '1.5', 'abc', '1e3', '99999999999999999999', '0x10']) {
      const params = refusedBytes(await uploads.announce(length), 400, 'INVALID_PARAMETER');
      assert.equal(params.parameter, 'Upload-Length', length);
    }
    const deferred = { 'upload-length': '', 'upload-defer-length': '1' };
    refusedBytes(await uploads.announce('', deferred), 400, 'INVALID_PARAMETER');
    const params = refusedBytes(await uploads.announce(64 * MIB + 1), 400, 'INVALID_BODY');
    assert.equal(params.maxBytes, 64 * MIB);
    await uploads.announced(64 * MIB);
  });

  it('answers another version of the protocol, or none, with 412', async () => {
    const { id } = await uploads.announced(3);
    for (const version of ['', '0.2.2', '1.0.1', '1.0.0, 1.0.0']) {
      const headers = { 'tus-resumable': version };
      for (const reply of [
        await uploads.announce(3, headers),
        await uploads.append(id, 0, 'abc', { headers }),
        await uploads.cancel(id, headers),
      ]) {
        refusedBytes(reply, 412, 'PRECONDITION_FAILED');
        assert.equal(reply.headers['tus-version'], '1.0.0');
      }
      const state = await uploads.state(id, headers);
      assert.deepEqual([state.status, state.headers['tus-version']], [412, '1.0.0']);
    }
    assert.equal(await uploads.offset(id), 0);
  });

  const wrongMethod = (method: string, path: string) => exchange(scene().server.address, method, path, {});

  const twoTypes = () =>
    onWire(scene().server.address, async (wire) => {
      const type = 'Content-Type: application/offset+octet-stream\r\n';
      return wire.write(`POST ${uploads.path} HTTP/1.1\r\nHost: x\r\n${type}${type}\r\n`).answer();
    });

  it('names the version in every reply, also where the client is refused before', async () => {
    const stranger = by('wrong');
    const { id } = await uploads.announced(3);
    for (const [reply, status] of [
      [await uploads.options(), 204],
      [await stranger.options(), 401],
      [await stranger.announce(3), 401],
      [await stranger.append(id, 0, 'abc'), 401],
      [await uploads.state('no-identifier'), 400],
      [await uploads.cancel(id), 204],
      [await wrongMethod('PUT', `${uploads.path}/${id}`), 405],
      [await wrongMethod('GET', uploads.path), 405],
      [await wrongMethod('DELETE', uploads.path), 405],
      [await twoTypes(), 400],
    ] as const) {
      assert.equal(reply.status, status);
      assert.equal(reply.headers['tus-resumable'], '1.0.0');
    }
  });

  it('reports the supported version and extensions of the protocol', async () => {
    const reply = await uploads.options();
    assert.equal(reply.status, 204);
    assert.equal(reply.headers['tus-version'], '1.0.0');
    assert.equal(reply.headers['tus-extension'], 'creation,expiration,termination');
    assert.equal(reply.headers['tus-max-size'], String(64 * MIB));
  });

  it('takes bytes only at the offset that it has', async () => {
    const { id } = await uploads.announced(10);
    assertAppended(await uploads.append(id, 0, 'abcd'), 4);
    for (const offset of [0, 3, 5, 10, 11, 1_000_000]) {
      const reply = await uploads.append(id, offset, '');
      assert.deepEqual(refusedBytes(reply, 409, 'UPLOAD_OFFSET_MISMATCH'), { offset: 4 });
      assert.equal(reply.headers['tus-resumable'], '1.0.0');
    }
    for (const offset of ['', '-1', 'x', '4.0']) {
      const params = refusedBytes(await uploads.append(id, offset, 'ef'), 400, 'INVALID_PARAMETER');
      assert.equal(params.parameter, 'Upload-Offset');
    }
    assertAppended(await uploads.append(id, 4, ''), 4);
    assertAppended(await uploads.append(id, 4, 'efghij'), 10);
    // Whoever did not hear that it is done may say the last thing again, and nothing else.
    assertAppended(await uploads.append(id, 10, ''), 10);
    assert.deepEqual(refusedBytes(await uploads.append(id, 4, 'efghij'), 409, 'UPLOAD_OFFSET_MISMATCH'), {
      offset: 10,
    });
    assert.equal((await files.get(id)).bytes.toString(), 'abcdefghij');
  });

  it('takes no more bytes than were announced', async () => {
    const { id } = await uploads.announced(10);
    assertAppended(await uploads.append(id, 0, 'abcd'), 4);
    for (const chunked of [false, true]) {
      const params = refusedBytes(await uploads.append(id, 4, 'efghijk', { chunked }), 400, 'INVALID_BODY');
      assert.equal(params.maxBytes, 6);
      assert.equal(await uploads.offset(id), 4);
    }
    assertAppended(await uploads.append(id, 4, 'efghij'), 10);
    const params = refusedBytes(await uploads.append(id, 10, 'k'), 400, 'INVALID_BODY');
    assert.equal(params.maxBytes, 0);
    assert.equal((await files.get(id)).bytes.toString(), 'abcdefghij');
  });

  it('takes bytes of the one content type, not compressed', async () => {
    const { id } = await uploads.announced(3);
    for (const headers of [
      { 'content-type': 'application/octet-stream' },
      { 'content-type': '' },
      { 'content-encoding': 'gzip' },
    ]) {
      refusedBytes(await uploads.append(id, 0, 'abc', { headers }), 400, 'INVALID_CONTENT_TYPE');
    }
    assert.equal(await uploads.offset(id), 0);
  });

  it('comes in a thousand pieces at the most', async () => {
    const { app, server } = scene();
    const { id } = await uploads.announced(10);
    assertAppended(await uploads.append(id, 0, 'a'), 1);
    const [[pieces] = []] = await server.database.sql(`select pieces from app_${app.id}.attachments where id = $1`, [
      id,
    ]);
    const many = Array.from({ length: 1000 }, () => JSON.parse(pieces as string)[0]);
    await server.database.sql(`update app_${app.id}.attachments set pieces = $2, received = 9 where id = $1`, [
      id,
      JSON.stringify([...many.slice(0, 9), ...many.slice(9).map((piece) => ({ ...piece, size: 0 }))]),
    ]);
    const params = refusedBytes(await uploads.append(id, 9, 'j'), 400, 'INVALID_BODY');
    assert.match(params.reason, /1000 pieces/);
    assert.equal(await uploads.offset(id), 9);
    assert.equal((await uploads.cancel(id)).status, 204);
  });

  it('is terminated with all its bytes, and is then not found', async () => {
    const before = await traces(scene());
    const { id } = await uploads.announced(10);
    assertAppended(await uploads.append(id, 0, 'abcd'), 4);
    assert.ok((await traces(scene())).length > before.length + 1);
    const reply = await uploads.cancel(id);
    assert.equal(reply.status, 204);
    assert.equal(reply.headers['tus-resumable'], '1.0.0');
    assert.deepEqual(await traces(scene()), before);
    refusedBytes(await uploads.cancel(id), 404, 'ATTACHMENT_NOT_FOUND');
    refusedBytes(await uploads.append(id, 4, 'efghij'), 404, 'ATTACHMENT_NOT_FOUND');
    assert.equal((await uploads.state(id)).status, 404);
  });

  it('is terminated and continued by POST with X-HTTP-Method-Override too', async () => {
    const { server, app } = scene();
    const post = (id: string, override: Record<string, string>, body = '') =>
      exchange(server.address, 'POST', `${uploads.path}/${id}`, {
        token: app.admin.token,
        headers: {
          'tus-resumable': '1.0.0',
          'upload-offset': '0',
          'content-type': 'application/offset+octet-stream',
          ...override,
        },
        body,
      });
    const { id } = await uploads.announced(10);
    assertAppended(await post(id, { 'x-http-method-override': 'PATCH' }, 'abcd'), 4);
    for (const override of [{}, { 'x-http-method-override': 'GET' }, { 'x-http-method-override': '__proto__' }]) {
      const params = refusedBytes(await post(id, override as Record<string, string>), 400, 'INVALID_PARAMETER');
      assert.equal(params.parameter, 'X-HTTP-Method-Override');
    }
    assert.equal((await post(id, { 'x-http-method-override': 'DELETE' })).status, 204);
    assert.equal((await uploads.state(id)).status, 404);
  });

  it('cannot be terminated once it is an attachment', async () => {
    const { id } = await uploads.announced(3);
    assertAppended(await uploads.append(id, 0, 'abc'), 3);
    refusedBytes(await uploads.cancel(id), 404, 'ATTACHMENT_NOT_FOUND');
    assert.equal((await files.get(id)).bytes.toString(), 'abc');
  });

  it('is there for its creator and for admins alone', async () => {
    const { app } = scene();
    const creator = await app.addPerson('Creator');
    const { id } = await by(creator.token).announced(6);
    const stranger = by(other.token);
    assert.equal((await stranger.state(id)).status, 404);
    const unknown = refusedBytes(await stranger.append(id, 0, 'abc'), 404, 'ATTACHMENT_NOT_FOUND');
    assert.deepEqual(unknown, { attachmentId: id });
    refusedBytes(await stranger.cancel(id), 404, 'ATTACHMENT_NOT_FOUND');
    const elsewhere = uploadsOf(scene().server.address, app, { collection: 'Others' });
    assert.equal((await elsewhere.state(id)).status, 404);
    assertAppended(await by(creator.token).append(id, 0, 'abc'), 3);
    assertAppended(await uploads.append(id, 3, 'def'), 6);
    assert.equal((await filesOf(scene(), 'Files', creator.token).get(id)).bytes.toString(), 'abcdef');
    refusedBytes(await filesOf(scene(), 'Files', other.token).get(id), 404, 'ATTACHMENT_NOT_FOUND');
    for (const reply of [await uploads.append(NO_ATTACHMENT, 0, ''), await uploads.cancel(NO_ATTACHMENT)]) {
      refusedBytes(reply, 404, 'ATTACHMENT_NOT_FOUND');
    }
  });

  it('is announced for another by admins alone', async () => {
    const theirs = { 'x-service-creatorid': other.id };
    const { id } = await uploads.announced(3, theirs);
    assertAppended(await by(other.token).append(id, 0, 'abc'), 3);
    refusedBytes(await by(other.token).announce(3, theirs), 403, 'ADMIN_REQUIRED');
    refusedBytes(await uploads.announce(3, { 'x-service-creatorid': NO_USER }), 400, 'INVALID_CREATOR');
    refusedBytes(await uploads.announce(3, { 'x-service-creatorid': 'x' }), 400, 'INVALID_PARAMETER');
  });

  it('is not there when its time is over', async () => {
    const { app, server } = scene();
    const { id } = await uploads.announced(6);
    assertAppended(await uploads.append(id, 0, 'abc'), 3);
    await server.database.sql(`update app_${app.id}.attachments set expires_at = $2 where id = $1`, [
      id,
      new Date(Date.now() - 1000).toISOString(),
    ]);
    assert.equal((await uploads.state(id)).status, 404);
    refusedBytes(await uploads.append(id, 3, 'def'), 404, 'ATTACHMENT_NOT_FOUND');
    refusedBytes(await uploads.cancel(id), 404, 'ATTACHMENT_NOT_FOUND');
  });

  it('takes an upload in one request for none of its own', async () => {
    const { id } = await files.upload('whole');
    assert.equal(await uploads.offset(id), 5);
    refusedBytes(await uploads.cancel(id), 404, 'ATTACHMENT_NOT_FOUND');
    refusedBytes(await uploads.append(id, 0, 'other'), 409, 'UPLOAD_OFFSET_MISMATCH');
    assert.equal((await files.get(id)).bytes.toString(), 'whole');
  });

  it('continues as announced when the application was published again meanwhile', async () => {
    const { id } = await uploads.announced(6);
    assertAppended(await uploads.append(id, 0, 'abc'), 3);
    await republish(scene(), { ...DOCUMENT, maxAttachmentBytes: 5 });
    assertAppended(await uploads.append(id, 3, 'def'), 6);
    assert.equal((await files.get(id)).bytes.toString(), 'abcdef');
  });
});
