// Requests with an Idempotency-Key whose server does not hear what the database has done, or that are under way elsewhere.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { done, refused } from '../support/records.ts';
import { type Reply, sendTo, startTestServer, type TestServer } from '../support/server.ts';
import { type TroubledWire, troubleWire } from '../support/troubled-wire.ts';

const DOCUMENT = {
  collections: [{ id: 'tthings0', name: 'Things', columns: [{ id: 'ctitle00', name: 'Title', type: 'String' }] }],
};

describe('a create with an Idempotency-Key over two servers', () => {
  let database: TestDatabase;
  let wire: TroubledWire;
  let first: TestServer;
  let second: TestServer;
  let app: TestApplication;
  let key: string;

  before(async () => {
    database = await createDatabase();
    wire = await troubleWire(database.connection);
    first = await startTestServer({ database, connection: wire.connection });
    second = await startTestServer({ database });
  });
  beforeEach(async () => {
    // Of its own for each test: the wire knows a statement when it is prepared.
    app = await publishApplication(first, DOCUMENT);
    key = randomUUID();
  });
  after(async () => {
    await second.close();
    await first.close();
    await wire.close();
    await database.drop();
  });

  const post = (server: TestServer, title: string): Promise<Reply> =>
    sendTo(server.address, 'POST', `/v1/${app.id}/collections/tthings0/records`, {
      token: app.admin.token,
      json: { values: { ctitle00: string(title) } },
      headers: { 'idempotency-key': key },
    });
  const count = async (title: string) =>
    (await database.sql(`select 1 from app_${app.id}.tthings0 where rec like $1`, [`%"${title}"%`])).length;

  it('is under way there as long as its transaction is open, and done afterwards', async () => {
    const held = wire.hold(`insert into app_${app.id}.tthings0`);
    const sending = post(first, 'under way');
    await held.met;
    const reply = await post(second, 'under way');
    refused(reply, 409, 'IDEMPOTENCY_KEY_IN_USE');
    assert.equal(reply.headers.get('retry-after'), '1');
    refused(await post(second, 'something else'), 409, 'IDEMPOTENCY_KEY_IN_USE');
    held.release();
    const { id } = done(await sending);
    const again = await post(second, 'under way');
    assert.equal(done(again).id, id);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    refused(await post(second, 'something else'), 422, 'IDEMPOTENCY_KEY_REUSED');
    assert.equal(await count('under way'), 1);
  });

  it('is done when it was committed and nobody heard of it', async () => {
    const lost = wire.lose(`insert into app_${app.id}.idempotency_keys`);
    refused(await post(first, 'committed'), 503, 'UNAVAILABLE');
    await lost.met;
    const again = await untilFree(() => post(second, 'committed'));
    done(again);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal((await untilFree(() => post(first, 'committed'))).text, again.text);
    assert.equal(await count('committed'), 1);
  });

  it('is not done when it was not committed: a 503 is not kept', async () => {
    const lost = wire.lose(`insert into app_${app.id}.tthings0`);
    refused(await post(first, 'rolled back'), 503, 'UNAVAILABLE');
    await lost.met;
    const again = await untilFree(() => post(second, 'rolled back'));
    done(again);
    assert.equal(again.headers.get('idempotency-replayed'), null);
    assert.equal(await count('rolled back'), 1);
  });

  it('is done once, however many come at once', async () => {
    const servers = [first, second];
    const replies = await Promise.all(
      Array.from({ length: 24 }, (_, n) => untilFree(() => post(servers[n % 2]!, 'many'))),
    );
    assert.equal(new Set(replies.map((reply) => done(reply).id)).size, 1);
    assert.equal(replies.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1);
    assert.equal(await count('many'), 1);
  });

  /** As a client does it: while the request is under way, it waits a moment and sends it again. */
  async function untilFree(send: () => Promise<Reply>): Promise<Reply> {
    for (let attempt = 0; attempt < 500; attempt++) {
      const reply = await send();
      if (reply.status !== 409) return reply;
      refused(reply, 409, 'IDEMPOTENCY_KEY_IN_USE');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('the key stays in use');
  }
});
