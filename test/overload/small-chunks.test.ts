// Bodies in chunks of a few bytes: they take no more memory than their bytes, and are not read for long.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { assertProblem, head, onWire, send } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { uploadsOf } from '../support/uploads.ts';

const CHUNKED = { 'transfer-encoding': 'chunked' };
const JSON_TYPE = { 'content-type': 'application/json' };
const END = '0\r\n\r\n';
const reason = (chunksFree: number) =>
  `the body came in more than ${chunksFree} chunks of less than 16 bytes on average; send larger ones`;

/** As chunks of so many bytes. */
function chunks(text: string, size = 1): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += size) {
    const part = text.slice(at, at + size);
    parts.push(`${part.length.toString(16)}\r\n${part}\r\n`);
  }
  return parts.join('');
}

describe('bodies in small chunks', { timeout: 60_000 }, () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }],
    });
  });
  after(async () => {
    await server.close();
  });

  const bearer = () => ({ authorization: `Bearer ${app.admin.token}` });
  const records = () => `/v1/${app.id}${app.records('Things')}`;
  const attachments = () => `/v1/${app.id}/collections/${app.ids.Things!.id}/attachments`;
  const record = (title: string) => JSON.stringify({ values: { [app.ids.Things!.Title!]: string(title) } });
  const stored = (table: string) => server.database.sql(`select count(*)::int from app_${app.id}.${table}`);

  async function refused(top: string, chunksFree = 1_024): Promise<void> {
    await onWire(server.address, async (wire) => {
      wire.write(top + chunks(' '.repeat(60_000)));
      const reply = await wire.answer();
      assertProblem(reply, 400, 'INVALID_BODY', top);
      assert.deepEqual(reply.body.params, { reason: reason(chunksFree) });
      assert.equal(reply.headers.connection, 'close');
      await wire.over();
    });
  }

  it('are refused without credentials, and with', async () => {
    await refused(head('POST', `/v1/${app.id}/session`, { ...CHUNKED, ...JSON_TYPE }), 128);
    await refused(head('POST', records(), { ...CHUNKED, ...JSON_TYPE, ...bearer() }));
    assert.deepEqual(await stored(app.ids.Things!.id!), [[0]]);
  });

  it('are refused also where their end comes with them', async () => {
    const file = { 'content-type': 'text/plain', ...CHUNKED, ...bearer() };
    const json = { ...JSON_TYPE, ...CHUNKED, ...bearer() };
    for (const [top, body] of [
      [head('POST', attachments(), file), 'x'.repeat(6_000)],
      [head('POST', records(), json), `${record('whole')}${' '.repeat(4_500)}garbage`],
    ]) {
      await onWire(server.address, async (wire) => {
        wire.write(top + chunks(body ?? '') + END);
        const reply = await wire.answer();
        assertProblem(reply, 400, 'INVALID_BODY', top);
        assert.equal(reply.headers.connection, 'close');
        await wire.over();
      });
    }
    assert.deepEqual(await stored(app.ids.Things!.id!), [[0]]);
    assert.deepEqual(await stored('attachments'), [[0]]);
  });

  it('are refused as files, and nothing stays of those', async () => {
    const file = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' };
    await refused(head('POST', attachments(), { ...CHUNKED, ...file, ...bearer() }));
    assert.deepEqual(await stored('attachments'), [[0]]);
  });

  it('are refused in the middle of an announced upload, which goes on from there', async () => {
    const uploads = uploadsOf(server.address, app, { collection: 'Things' });
    const size = 60_000;
    const { id } = await uploads.announced(size);
    const patch = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
    await refused(head('PATCH', `${uploads.path}/${id}`, { ...CHUNKED, ...patch, ...bearer() }));
    const offset = await uploads.offset(id);
    assert.ok(offset > 0 && offset < size, String(offset));
    const reply = await uploads.append(id, offset, ' '.repeat(size - offset));
    assert.equal(reply.status, 204);
  });

  it('are not read to their end after the reply', async () => {
    const ways: [string, number][] = [
      [head('POST', records(), { ...CHUNKED, ...JSON_TYPE }), 401],
      [head('GET', `/v1/${app.id}`, { ...CHUNKED, ...bearer() }), 200],
    ];
    for (const [top, status] of ways) {
      for (const size of [1, 100]) {
        await onWire(server.address, async (wire) => {
          wire.write(top);
          assert.equal((await wire.answer()).status, status);
          wire.write(chunks(' '.repeat(5_000 * size), size));
          await wire.over();
        });
      }
    }
  });

  it('are taken while there are few of them, or each has a few bytes', async () => {
    const ways: [string, number][] = [
      [record('a'.repeat(900)), 1],
      [record('b'.repeat(200_000)), 20],
      [record('c'.repeat(500_000)), 700],
    ];
    for (const [body, size] of ways) {
      await onWire(server.address, async (wire) => {
        wire.write(head('POST', records(), { ...CHUNKED, ...JSON_TYPE, ...bearer() }));
        wire.write(chunks(body, size) + END + head('GET', '/healthz'));
        const reply = await wire.answer();
        assert.equal(reply.status, 200, reply.text.slice(0, 200));
        const path = `${records()}/${reply.body.id}`;
        const found = await send(server.address, 'GET', path, { headers: bearer() });
        assert.deepEqual(found.body.values, JSON.parse(body).values);
        assert.equal((await wire.answer()).status, 200);
      });
    }
  });

  it('are taken byte by byte where their length is declared, as small devices send them', async () => {
    const body = record('d'.repeat(6_000));
    await onWire(server.address, async (wire) => {
      wire.socket.setNoDelay(true);
      wire.write(head('POST', records(), { ...JSON_TYPE, ...bearer(), 'content-length': String(body.length) }));
      for (const byte of body) await new Promise((resolve) => wire.socket.write(byte, resolve));
      const reply = await wire.answer();
      assert.equal(reply.status, 200, reply.text.slice(0, 200));
    });
  });
});
