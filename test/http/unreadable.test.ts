// Bytes that are no request, behind requests that are: whatever has an answer gets it first, and then the connection ends.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { assertProblem, head, onWire, type Wire } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const GARBAGE = 'no request at all\r\n\r\n';
const BODY = '{"values":{}}';
/** More than what the sockets of both sides hold. */
const FILE_BYTES = 12_000_000;

describe('what cannot be read', { timeout: 60_000 }, () => {
  let server: TestServer;
  let app: TestApplication;
  /** Creations whose answer came. */
  let told = 0;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }],
    });
  });
  after(async () => {
    await server.close();
  });

  const records = () => `/v1/${app.id}${app.records('Things')}`;
  const definition = () => head('GET', `/v1/${app.id}`, bearer());
  const bearer = () => ({ authorization: `Bearer ${app.admin.token}` });
  const posting = (headers: Record<string, string>) =>
    head('POST', records(), { ...bearer(), 'content-type': 'application/json', ...headers });
  const create = (headers: Record<string, string> = {}) =>
    posting({ 'content-length': String(BODY.length), ...headers }) + BODY;
  async function created(wire: Wire): Promise<void> {
    const reply = await wire.answer();
    assert.equal(reply.status, 200, reply.text);
    assert.equal(typeof reply.body.id, 'string', reply.text);
    told += 1;
  }
  async function refused(wire: Wire, code = 'INVALID_PARAMETER', status = 400): Promise<void> {
    const reply = await wire.answer();
    assertProblem(reply, status, code);
    assert.equal(reply.headers.connection, 'close');
    await wire.over();
  }

  it('is refused after the reply to the previous request', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(create() + GARBAGE);
      await created(wire);
      await refused(wire);
    });
  });

  it('is refused after the replies to all waiting requests', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(create() + definition() + create({ 'x-padding': 'x' }).repeat(2) + GARBAGE.repeat(10_000));
      await created(wire);
      assert.equal((await wire.answer()).body.id, app.id);
      await created(wire);
      await created(wire);
      await refused(wire);
    });
  });

  it('gets no reply after a request that closes the connection, and neither does another request', async () => {
    for (const more of [GARBAGE, create()]) {
      await onWire(server.address, async (wire) => {
        wire.write(create({ connection: 'close' }) + more);
        await created(wire);
        await wire.over();
      });
    }
  });

  it('is refused after the reply when the client closes its side in the middle', async () => {
    for (const half of [posting({ 'content-length': '20' }), 'POST /v1 HT']) {
      await onWire(server.address, async (wire) => {
        wire.write(create() + half);
        wire.socket.end();
        await created(wire);
        await refused(wire, 'INVALID_BODY');
      });
    }
  });

  it('does not keep a client that closes its side after a request from its reply', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(create());
      wire.socket.end();
      await created(wire);
      await wire.over();
    });
    await onWire(server.address, async (wire) => {
      wire.write(head('GET', '/healthz') + create());
      wire.socket.end();
      assert.equal((await wire.answer()).status, 200);
      await created(wire);
    });
  });

  it('is refused after the reply when it is CONNECT', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(`${create()}CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`);
      await created(wire);
      await refused(wire, 'METHOD_NOT_ALLOWED', 405);
    });
  });

  it('does not cut a download short', async () => {
    const raw = `[${' '.repeat(FILE_BYTES - 2)}]`;
    const path = `/collections/${app.ids.Things!.id}/attachments`;
    const headers = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' };
    const { body } = await app.send('POST', path, { raw, headers });
    for (const more of [GARBAGE, 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n']) {
      await onWire(server.address, async (wire) => {
        wire.write(head('GET', `/v1/${app.id}${path}/${body.id}`, bearer()) + more);
        assert.equal((await wire.answer()).text.length, FILE_BYTES);
        await wire.answer();
        await wire.over();
      });
    }
  });

  it('is reported in the reply to the request whose body it is', async () => {
    const broken = `${posting({ 'transfer-encoding': 'chunked' })}zz\r\n${BODY}\r\n`;
    for (const before of [0, 1, 2]) {
      await onWire(server.address, async (wire) => {
        wire.write(create().repeat(before) + broken);
        for (let n = 0; n < before; n++) await created(wire);
        await refused(wire);
      });
    }
  });

  it('is reported likewise for chunks with large extensions', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(`${posting({ 'transfer-encoding': 'chunked' })}1;${'x'.repeat(20_000)}\r\n`);
      const reply = await wire.answer();
      assertProblem(reply, 400, 'INVALID_PARAMETER');
      assert.equal(reply.body.params.reason, 'chunk extensions are too large');
      await wire.over();
    });
  });

  it('takes nothing from a request that needs no body', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(`${head('GET', `/v1/${app.id}`, { ...bearer(), 'transfer-encoding': 'chunked' })}zz\r\n`);
      const reply = await wire.answer();
      assert.equal(reply.body.id, app.id, reply.text);
      assert.equal(reply.headers.connection, 'close');
      await wire.over();
    });
  });

  it('gets no second reply when it is the rest of a refused request', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(head('POST', records(), { 'transfer-encoding': 'chunked' }));
      assertProblem(await wire.answer(), 401, 'UNAUTHORIZED');
      wire.write('zz\r\n');
      await wire.over();
    });
  });

  it('does not change the stored records', async () => {
    const rows = await server.database.sql(`select count(*)::int from app_${app.id}.${app.ids.Things!.id}`);
    assert.deepEqual(rows, [[told]]);
  });
});
