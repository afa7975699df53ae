// A server with few places: what clients see when there are none, and that one application cannot take them from another.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { until } from '../gate/waiting.ts';
import { assertProblem, head, onWire, send, Wire } from '../http/wire.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const WAITING_EACH = 3;
/** Of 12 places, for who is alone. */
const ALONE = 9;
/** More than what the sockets of both sides hold. */
const FILE_BYTES = 32 * 1024 * 1024;

describe('a busy server', () => {
  let server: TestServer;
  let loud: TestApplication;
  let quiet: TestApplication;
  let holder: pg.Client;

  before(async () => {
    server = await startTestServer({
      requestsAtOnce: 12,
      waiting: { waitingEachMax: WAITING_EACH, waitMs: 60_000 },
      transfers: { eachMax: 1, allMax: 2 },
    });
    const document = { collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }] };
    [loud, quiet] = [await publishApplication(server, document), await publishApplication(server, document)];
    // Known from here on: applications that nobody has asked for yet share one share.
    for (const app of [loud, quiet]) assert.equal((await app.send('GET', '')).status, 200);
    holder = new pg.Client(server.database.connection);
    await holder.connect();
  });
  after(async () => {
    await holder.end();
    await server.close();
    assert.deepEqual(server.failures, []);
  });

  const tableOf = (app: TestApplication) => `app_${app.id}.${app.ids.Things!.id}`;
  const create = (app: TestApplication, title: string) =>
    app.send('POST', app.records('Things'), { json: { values: { [app.ids.Things!.Title!]: string(title) } } });
  const files = (app: TestApplication) => `/v1/${app.id}/collections/${app.ids.Things!.id}/attachments`;
  const bearer = (app: TestApplication) => ({ authorization: `Bearer ${app.admin.token}` });

  it('refuses what finds no room at once, serves the other application, and keeps what it acknowledged', async () => {
    await holder.query(`begin; lock table ${tableOf(loud)} in exclusive mode`);
    const titles = Array.from({ length: 24 }, (_, n) => `thing ${n}`);
    const replies: { title: string; reply: Awaited<ReturnType<typeof create>> }[] = [];
    const writes = titles.map(async (title) => {
      replies.push({ title, reply: await create(loud, title) });
    });
    await until('those beyond the bound to be refused', () => replies.length >= titles.length - ALONE - WAITING_EACH);
    for (const { reply } of replies) {
      assert.equal(reply.status, 503, reply.text);
      assert.deepEqual(reply.body, { code: 'UNAVAILABLE', params: { reason: 'busy' } });
      assert.match(reply.headers.get('retry-after') ?? '', /^(?:[1-9]|10)$/);
    }
    // A server that has too much to do may have heard nothing for a while: it still knows whose requests these are.
    server.hear('everything');
    assert.equal((await create(loud, 'late')).status, 503);
    for (let n = 0; n < 10; n++) {
      assert.equal((await create(quiet, `quiet ${n}`)).status, 200);
      assert.equal((await quiet.send('GET', quiet.records('Things'))).body.length, n + 1);
    }
    // A body that nobody will read is not asked for.
    await onWire(server.address, async (wire) => {
      const headers = { ...bearer(loud), 'content-type': 'application/json', 'content-length': '500000' };
      wire.write(head('POST', `/v1/${loud.id}${loud.records('Things')}`, { ...headers, expect: '100-continue' }));
      const reply = await wire.answer();
      assertProblem(reply, 503, 'UNAVAILABLE');
    });
    await holder.query('commit');
    await Promise.all(writes);
    const acknowledged = replies.filter(({ reply }) => reply.status === 200).map(({ title }) => title);
    assert.ok(acknowledged.length > 0 && acknowledged.length <= ALONE + WAITING_EACH, String(acknowledged.length));
    const list = await loud.send('GET', loud.records('Things'));
    const stored = list.body.map((record: { values: Record<string, { value: string }> }) => {
      return record.values[loud.ids.Things!.Title!]?.value;
    });
    assert.deepEqual(stored.sort(), acknowledged.sort());
  });

  it('answers every one of many pipelined requests, in order', async () => {
    const paths = Array.from({ length: 300 }, (_, n) => (n % 3 === 0 ? '/healthz' : `/v1/${quiet.id}`));
    await onWire(server.address, async (wire) => {
      wire.write(paths.map((path) => head('GET', path, bearer(quiet))).join(''));
      for (const path of paths) {
        const reply = await wire.answer();
        if (path === '/healthz') assert.deepEqual(reply.body, { status: 'ok' });
        else if (reply.status === 503) assertProblem(reply, 503, 'UNAVAILABLE');
        else assert.equal(reply.body.id, quiet.id);
      }
    });
  });

  it('takes a bounded number of files at once from each application and in all', async () => {
    const uploading = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' };
    const begin = async (app: TestApplication) => {
      const wire = await Wire.open(server.address);
      const headers = { ...bearer(app), ...uploading, 'content-length': '6', expect: '100-continue' };
      wire.write(head('POST', files(app), headers));
      assert.equal((await wire.answer()).status, 100);
      return wire.write('abc');
    };
    const upload = (app: TestApplication) =>
      send(server.address, 'POST', files(app), { headers: { ...bearer(app), ...uploading }, body: 'abcdef' });
    const underWay = await begin(loud);
    assertProblem(await upload(loud), 503, 'UNAVAILABLE');
    assert.equal((await upload(quiet)).status, 200);
    assert.equal((await loud.send('GET', loud.records('Things'))).status, 200, 'requests have places of their own');
    underWay.write('def');
    assert.equal((await underWay.answer()).status, 200);
    assert.equal((await upload(loud)).status, 200);
    const left = await begin(loud);
    assertProblem(await upload(loud), 503, 'UNAVAILABLE');
    underWay.close();
    left.close();
    await until('the place of who hung up to be free', async () => (await upload(loud)).status === 200);
  });

  it('sends a bounded number of files at once to each application', async () => {
    // Which the reader of answers leaves as it is.
    const headers = { ...bearer(loud), 'content-type': 'application/x-ndjson' };
    const named = { ...headers, 'content-disposition': 'attachment; filename="large.txt"' };
    const uploaded = await send(server.address, 'POST', files(loud), {
      headers: named,
      body: Buffer.alloc(FILE_BYTES),
    });
    assert.equal(uploaded.status, 200, uploaded.text);
    const path = `${files(loud)}/${uploaded.body.id}`;
    const part = () => send(server.address, 'GET', path, { headers: { ...bearer(loud), range: 'bytes=0-9' } });
    assert.equal((await part()).status, 206);
    const { hostname, port } = new URL(server.address);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write(head('GET', path, bearer(loud)));
    // Its beginning is there, and no more is read of it.
    await once(socket, 'readable');
    assertProblem(await part(), 503, 'UNAVAILABLE');
    assert.equal((await send(server.address, 'HEAD', path, { headers: bearer(loud) })).status, 200);
    socket.destroy();
    await until('its place to be free', async () => (await part()).status === 206);
  });
});
