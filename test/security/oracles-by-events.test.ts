// Oracles by events: that a hidden record was made, changed or deleted shows in nothing that another user can read, be it
// a list, a counter, an ETag or a quota that is left. There is no channel of events that could tell.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { head, onWire, send, type WireReply } from '../support/http-client.ts';
import { pathOf, ROWS } from '../support/route-rows.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const LISTS = ROWS.filter(
  ({ side, method, parameters }) =>
    side === 'interface' &&
    method === 'GET' &&
    parameters.every((name) => ['applicationId', 'collectionId', 'userId'].includes(name)),
);

describe('a hidden record', () => {
  let server: TestServer;
  let app: TestApplication;
  let other: Person;

  before(async () => {
    server = await startTestServer();
    const columns = [{ name: 'Title', type: 'String', unique: true, searchable: true, sortable: true }];
    const access = { readAccessType: 'creatorOnly', writeAccessType: 'creatorOnly' };
    app = await publishApplication(server, { collections: [{ name: 'Own', ...access, columns }] });
    other = await app.addPerson('Other');
  });
  after(async () => {
    await server.close();
  });

  /** Without what differs between any two replies. */
  const comparable = ({ status, headers, text }: WireReply) => {
    const { date: _date, 'x-request-id': _id, ratelimit: _left, 'server-timing': _timing, ...rest } = headers;
    const times = text.replaceAll(/"lastUsedAt":"[^"]*"/g, '');
    return { status, rest: times === text ? rest : {}, times };
  };

  const seen = async () => {
    const given = { applicationId: app.id, collectionId: app.ids.Own!.id!, userId: other.id };
    const headers = { authorization: `Bearer ${other.token}` };
    const replies: unknown[] = [];
    for (const row of LISTS) {
      replies.push([row.title, comparable(await send(server.address, 'GET', pathOf(row, given), { headers }))]);
    }
    return replies;
  };

  it('leaves no trace for who may not read it, whatever becomes of it', async () => {
    const before = await seen();
    const title = (value: string) => ({ values: { [app.ids.Own!.Title!]: { type: 'String', value } } });
    const made = await app.send('POST', app.records('Own'), { json: title('hidden') });
    assert.equal(made.status, 200, made.text);
    assert.deepEqual(await seen(), before);
    const path = app.records('Own', made.body.id);
    assert.equal((await app.send('PUT', path, { json: title('changed') })).status, 200);
    assert.deepEqual(await seen(), before);
    assert.equal((await app.send('DELETE', path)).status, 204);
    assert.deepEqual(await seen(), before);
  });

  it('cannot be waited for: there is no stream of events to subscribe to', async () => {
    const upgrades = {
      Upgrade: 'websocket',
      Connection: 'Upgrade',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    };
    for (const path of ['/', `/v1/${app.id}${app.records('Own')}`, '/v1/realtime']) {
      await onWire(server.address, async (wire) => {
        const request = head('GET', path, { ...upgrades, authorization: `Bearer ${other.token}` });
        assert.notEqual((await wire.write(request).answer()).status, 101, path);
      });
      const accept = { accept: 'text/event-stream', authorization: `Bearer ${other.token}` };
      const { headers } = await send(server.address, 'GET', path, { headers: accept });
      assert.doesNotMatch(String(headers['content-type']), /event-stream/, path);
    }
  });
});
