// A request that starts over because its application was published anew is the same person's as before, although the
// session's secret has changed while its body came in; and nobody's when the session has ended meanwhile.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { age, type Client, entriesOf, signedIn } from '../support/browser-sessions.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('a request that starts over', () => {
  let server: TestServer;
  let app: TestApplication;
  let version = 0;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, document(undefined));
  });
  after(async () => {
    await server.close();
  });

  const document = (known: TestApplication | undefined) => ({
    name: `Version ${version++}`,
    activityLogEnabled: true,
    collections: [{ ...(known === undefined ? {} : { id: known.ids.Things!.id }), name: 'Things', columns: [] }],
  });
  const publish = async () => {
    const reply = await server.operator('POST', '/applications', { id: app.id, ...document(app) });
    assert.equal(reply.status, 200, reply.text);
  };

  /** Asked for its body, which it is only once the server knows whose it is. */
  async function begin({ cookie }: Client): Promise<ClientRequest> {
    const asked = request(`${server.address}/v1/${app.id}${app.records('Things')}`, {
      method: 'POST',
      headers: {
        cookie: `cartulary_session=${cookie}`,
        origin: server.address,
        'content-type': 'application/json',
        expect: '100-continue',
      },
    });
    asked.flushHeaders();
    await once(asked, 'continue');
    return asked;
  }

  async function finish(asked: ClientRequest): Promise<{ status: number | undefined; text: string }> {
    const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
    asked.end('{"values": {}}');
    const [response] = await answered;
    return { status: response.statusCode, text: await text(response) };
  }

  it('is not taken for one with a stolen secret', async () => {
    const client = await signedIn(server, app, app.admin);
    const former = client.cookie;
    const slow = await begin(client);
    await age(server, app, client.sessionId, 16);
    assert.equal((await client.send('GET', '/session')).status, 200);
    assert.notEqual(client.cookie, former);
    assert.equal(await client.status(), 200);
    await age(server, app, client.sessionId, 2);
    await publish();
    const done = await finish(slow);
    assert.equal(done.status, 200, done.text);
    assert.equal(await client.status(), 200);
    const ended = await entriesOf(server, app, 'session.logout');
    assert.deepEqual(ended, []);
  });

  it('is refused when the session has ended, or its user may no longer', async () => {
    const signedOut = await signedIn(server, app, app.admin);
    const late = await begin(signedOut);
    assert.equal((await signedOut.send('DELETE', '/session')).status, 204);
    await publish();
    assert.equal((await finish(late)).status, 401);

    const person = await app.addPerson('Person');
    const shut = await begin(await signedIn(server, app, person));
    await server.database.sql(`update app_${app.id}.users set api_access = false where id = $1`, [person.id]);
    await publish();
    const refused = await finish(shut);
    assert.deepEqual([refused.status, JSON.parse(refused.text).code], [403, 'API_ACCESS_REQUIRED']);
  });
});
