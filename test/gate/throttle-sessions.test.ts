// Guessing passwords where people sign in is slowed down like everywhere else: both doors count for one account, and who
// has a session or a token goes on.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { Client, signedIn } from '../support/browser-sessions.ts';
import { basic } from '../support/http-client.ts';
import { type Reply, sendTo, startTestServer, type TestServer } from '../support/server.ts';

const LIMITS = { account: 3, address: 7 };

describe('guessing at signing in', () => {
  let server: TestServer;
  let app: TestApplication;
  let person: Person;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: [] });
    person = await app.addPerson('Guessed', { email: 'guessed@example.com' });
  });
  after(async () => {
    await server.close();
  });

  async function onNode(work: (node: TestServer, guess: (named: object) => Promise<Reply>) => Promise<void>) {
    const node = await startTestServer({ database: server.database, connectionsMax: 2, authFailures: LIMITS });
    const guess = (named: object) =>
      sendTo(node.address, 'POST', `/v1/${app.id}/session`, { json: { ...named, password: 'Wrong-Passw0rd' } });
    try {
      await work(node, guess);
    } finally {
      await node.close();
    }
  }

  const slowed = (reply: Reply) => {
    assert.deepEqual(
      [reply.status, reply.body],
      [429, { code: 'TOO_MANY_REQUESTS', params: { reason: 'authentication' } }],
    );
    assert.match(String(reply.headers.get('retry-after')), /^[1-9]\d*$/);
  };

  it('makes the account wait, by whichever name and door, and neither its session nor its token', () =>
    onNode(async (node, guess) => {
      const client = await signedIn(node, app, person);
      assert.equal((await guess({ userId: person.id })).status, 401);
      assert.equal((await guess({ email: 'GUESSED@example.com' })).status, 401);
      const headers = { authorization: basic(person.id, 'Wrong-Passw0rd') };
      assert.equal((await sendTo(node.address, 'GET', `/v1/${app.id}`, { headers })).status, 401);
      slowed(await guess({ userId: person.id }));
      slowed(await guess({ email: 'guessed@example.com' }));
      slowed(await new Client(node.address, app.id).signIn(person.id));
      const right = { authorization: basic(person.id, person.password) };
      slowed(await sendTo(node.address, 'GET', `/v1/${app.id}`, { headers: right }));
      for (let time = 0; time < 5; time++) {
        assert.equal(await client.status(), 200);
        assert.equal((await sendTo(node.address, 'GET', `/v1/${app.id}`, { token: person.token })).status, 200);
      }
      assert.equal((await new Client(node.address, app.id).signIn(app.admin.id)).status, 200, 'nobody else waits');
    }));

  it('makes the address wait that tries many names, and neither sessions nor tokens', () =>
    onNode(async (node, guess) => {
      const client = await signedIn(node, app, person);
      for (let failure = 0; failure < LIMITS.address; failure++) {
        assert.equal((await guess({ email: `nobody-${failure}@example.com` })).status, 401);
      }
      slowed(await guess({ email: 'nobody@example.com' }));
      slowed(await new Client(node.address, app.id).signIn(app.admin.id));
      assert.equal(await client.status(), 200);
      assert.equal((await sendTo(node.address, 'GET', `/v1/${app.id}`, { token: app.admin.token })).status, 200);
    }));

  it('treats names that nobody has like those that somebody has', () =>
    onNode(async (_node, guess) => {
      for (let failure = 0; failure < LIMITS.account; failure++) {
        assert.equal((await guess({ email: 'Nobody@example.com' })).status, 401);
      }
      slowed(await guess({ email: 'nobody@EXAMPLE.com' }));
    }));

  it('does not count cookies that have ended: nobody guesses their secrets', () =>
    onNode(async (node) => {
      const client = new Client(node.address, app.id);
      for (let time = 0; time < 2 * LIMITS.address; time++) {
        const reply = await client.sendAs(`0123456789abcdef.${'A'.repeat(43)}`, 'GET', '/session');
        assert.equal(reply.status, 401);
      }
      assert.equal((await client.signIn(person.id)).status, 200);
    }));
});
