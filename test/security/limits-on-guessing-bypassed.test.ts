// Guessing credentials over HTTP: who has to wait, who has not, and that there is no way around it. Each test has a
// node of its own on one database, because every test comes from the same address.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { assertProblem, basic, head, onWire, send, type WireReply } from '../support/http-client.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const SECRET = 'A'.repeat(43);
const LIMITS = { account: 3, address: 7 };
/** The first wait, and a little. */
const PENALTY_MS = 1_100;
const NOBODY = `p${'0'.repeat(26)}`;

describe('guessing credentials', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: [] });
  });
  after(async () => {
    await server.close();
  });

  type Ask = (authorization?: string, path?: string) => Promise<WireReply>;
  async function onNode(work: (ask: Ask, address: string) => Promise<void>, authFailures = LIMITS): Promise<void> {
    const node = await startTestServer({ database: server.database, connectionsMax: 2, authFailures });
    try {
      await work(
        (authorization, path = `/v1/${app.id}`) =>
          send(node.address, 'GET', path, { headers: authorization === undefined ? {} : { authorization } }),
        node.address,
      );
    } finally {
      await node.close();
    }
  }

  const wrong = (userId: string) => basic(userId, 'Wrong-Passw0rd');
  const right = () => basic(app.admin.id, app.admin.password);
  const slowed = (reply: WireReply) => {
    assertProblem(reply, 429, 'TOO_MANY_REQUESTS');
    assert.deepEqual(reply.body.params, { reason: 'authentication' });
    assert.match(String(reply.headers['retry-after']), /^[1-9]\d*$/);
  };
  const refused = (reply: WireReply) => assertProblem(reply, 401, 'UNAUTHORIZED');
  const passes = (reply: WireReply) => assert.equal(reply.status, 200, reply.text);

  it('makes the account wait, also with the right password, until the time has passed', () =>
    onNode(async (ask) => {
      const somebody = await app.addPerson('Somebody');
      passes(await ask(right()));
      for (let failure = 0; failure < LIMITS.account; failure++) refused(await ask(wrong(app.admin.id)));
      slowed(await ask(wrong(app.admin.id)));
      slowed(await ask(right()));
      passes(await ask(`Bearer ${app.admin.token}`));
      passes(await ask(basic(somebody.id, somebody.password)));
      await until('the wait to pass', async () => (await ask(right())).status === 200);
      refused(await ask(wrong(app.admin.id)));
      refused(await ask(wrong(app.admin.id)));
      passes(await ask(right()));
    }));

  it('doubles the wait', () =>
    onNode(async (ask) => {
      for (let failure = 0; failure < LIMITS.account; failure++) refused(await ask(wrong(app.admin.id)));
      const first = await ask(wrong(app.admin.id));
      slowed(first);
      assert.equal(first.headers['retry-after'], '1');
      await until('the wait to pass', async () => (await ask(wrong(app.admin.id))).status === 401);
      const second = await ask(right());
      slowed(second);
      assert.equal(second.headers['retry-after'], '2');
    }));

  it('treats unknown users and applications like known ones', async () => {
    const unknown = ['u0000000', 'x'.repeat(300)].map((userId) => [wrong(userId), `/v1/${app.id}`]);
    for (const [authorization, path] of [...unknown, [right(), `/v1/${NOBODY}`]]) {
      await onNode(async (ask) => {
        for (let failure = 0; failure < LIMITS.account; failure++) refused(await ask(authorization, path));
        slowed(await ask(authorization, path));
      });
    }
  });

  it('does not count missing credentials and malformed identifiers', () =>
    onNode(async (ask) => {
      for (let time = 0; time < 20; time++) {
        refused(await ask());
        refused(await ask(' '));
        refused(await ask(undefined, '/operator/v1/applications'));
        refused(await ask(' ', '/operator/v1/applications'));
        assertProblem(await ask(wrong(app.admin.id), '/v1/X'), 400, 'INVALID_APPLICATION_ID');
      }
      passes(await ask(right()));
      refused(await ask(wrong(app.admin.id)));
    }));

  it('makes the address wait that tries many accounts, but never a valid token', () =>
    onNode(async (ask) => {
      for (let failure = 0; failure < LIMITS.address; failure++) refused(await ask(wrong(`u000000${failure}`)));
      slowed(await ask(wrong('u0000009')));
      slowed(await ask(right()));
      slowed(await ask(`Bearer 0123456789abcdef.${SECRET}`));
      slowed(await ask('Digest nonsense'));
      slowed(await ask('Bearer wrong-operator-key', '/operator/v1/applications'));
      passes(await ask(`Bearer ${app.admin.token}`));
      slowed(await ask(`Bearer ${OPERATOR_KEY}`, '/operator/v1/applications'));
      refused(await ask());
    }));

  it('makes who guesses a token’s secret wait, and not the token', () =>
    onNode(async (ask) => {
      const guess = `Bearer ${app.admin.token.split('.')[0]}.${SECRET}`;
      for (let failure = 0; failure < LIMITS.account; failure++) refused(await ask(guess));
      slowed(await ask(guess));
      passes(await ask(`Bearer ${app.admin.token}`));
      slowed(await ask(guess));
      passes(await ask(right()));
    }));

  it('makes who guesses the operator key wait, also with the right one', () =>
    onNode(async (ask) => {
      const path = '/operator/v1/applications';
      for (let failure = 0; failure < LIMITS.account; failure++) refused(await ask('Bearer wrong-operator-key', path));
      slowed(await ask('Bearer wrong-operator-key', path));
      slowed(await ask('Basic nonsense', path));
      slowed(await ask(`Bearer ${OPERATOR_KEY}`, path));
      passes(await ask(right()));
      await new Promise((resolve) => setTimeout(resolve, PENALTY_MS));
      passes(await ask(`Bearer ${OPERATOR_KEY}`, path));
    }));

  it('cannot be got around by guessing many at once', () =>
    onNode(
      async (_ask, address) => {
        const guesses = Array.from({ length: 8 }, (_, guess) => basic(app.admin.id, `Wrong-Passw0rd-${guess}`));
        await onWire(address, async (wire) => {
          const all = [...guesses, right()];
          wire.write(all.map((authorization) => head('GET', `/v1/${app.id}`, { authorization })).join(''));
          const replies: WireReply[] = [];
          for (const _one of all) replies.push(await wire.answer());
          const last = replies.pop()!;
          assert.equal(replies.filter(({ status }) => status === 401).length, 1, 'only one guess was answered');
          slowed(last);
        });
      },
      { account: 1, address: 50 },
    ));

  it('is counted by each node with the limits it was given', () =>
    onNode(
      async (ask) => {
        refused(await ask(wrong(app.admin.id)));
        slowed(await ask(wrong(app.admin.id)));
      },
      { account: 1, address: 50 },
    ));
});
