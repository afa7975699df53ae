// Creating records with an Idempotency-Key: what a repetition gets, which requests count as the same, and for how long.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import { leftOf } from '../support/quotas.ts';
import { done, refused, tableOf } from '../support/records.ts';
import { type Reply, type SendOptions, startTestServer, type TestServer } from '../support/server.ts';

const HOUR_MS = 3_600_000;
const CODE = 'ccode000';
const BOOK = 'cbook000';
const DOCUMENT = {
  collections: [
    { id: 'tthings0', name: 'Things', columns: [{ id: CODE, name: 'Code', type: 'String', unique: true }] },
    {
      ...{ id: 'tnotes00', name: 'Notes' },
      columns: [
        { id: 'ctext000', name: 'Text', type: 'String' },
        {
          ...{ id: BOOK, name: 'Book', type: 'ReferenceString' },
          scheme: { collectionId: 'tthings0', columnId: CODE },
        },
      ],
    },
  ],
};

const PLAN = { plan: 'custom', limits: { 'records-write': 3 } };

describe('a create with an Idempotency-Key', () => {
  let server: TestServer;
  let app: TestApplication;
  let other: TestApplication;
  let person: Person;
  let aheadMs = 0;

  before(async () => {
    server = await startTestServer({ aheadMs: () => aheadMs });
    app = await publishApplication(server, DOCUMENT);
    other = await publishApplication(server, DOCUMENT);
    person = await app.addPerson('Person');
  });
  after(() => server.close());

  const post = (key: string, json: unknown, { of = app, collection = 'Things', ...more }: Sent = {}): Promise<Reply> =>
    of.send('POST', of.records(collection), { json, headers: { 'idempotency-key': key }, ...more });
  type Sent = SendOptions & { readonly of?: TestApplication; readonly collection?: string };

  const thing = (code: string) => ({ values: { [CODE]: string(code) } });
  const count = async (of = app, collection = 'Things') =>
    Number((await server.database.sql(`select count(*) from ${tableOf({ server, app: of }, collection)}`))[0]?.[0]);
  const entries = async () =>
    Number((await server.database.sql(`select count(*) from app_${app.id}.activity`))[0]?.[0]);
  const keys = () => server.database.sql(`select key from app_${app.id}.idempotency_keys`);
  const replayed = (reply: Reply) => reply.headers.get('idempotency-replayed');

  function assertReplay(reply: Reply, first: Reply): void {
    assert.equal(replayed(reply), 'true', reply.text);
    assert.equal(reply.status, first.status);
    assert.equal(reply.text, first.text);
    assert.equal(reply.headers.get('content-type'), first.headers.get('content-type'));
  }

  it('gets the reply of the first time, and is done and logged once', async () => {
    const before = { records: await count(), entries: await entries() };
    const key = randomUUID();
    const first = await post(key, thing('once'));
    done(first);
    assert.equal(replayed(first), null);
    for (let n = 0; n < 3; n++) assertReplay(await post(key, thing('once')), first);
    assert.deepEqual(
      { records: await count(), entries: await entries() },
      {
        records: before.records + 1,
        entries: before.entries + 1,
      },
    );
  });

  it('gets it even when the record was changed, and the reply of a batch as well', async () => {
    const key = randomUUID();
    const batch = [thing('batch 1'), thing('batch 2')];
    const first = await post(key, batch);
    const [{ id }] = done(first);
    done(await app.send('PUT', app.records('Things', id), { json: thing('changed') }));
    assert.equal((await app.send('DELETE', app.records('Things', id))).status, 204);
    assertReplay(await post(key, batch), first);
  });

  it('is refused with another body, and elsewhere', async () => {
    const key = randomUUID();
    done(await post(key, thing('body')));
    for (const reply of [
      await post(key, thing('another body')),
      await post(key, [thing('body')]),
      await post(key, thing('body'), { collection: 'Notes' }),
      await post(key, 'no thing'),
    ]) {
      const { reason } = refused(reply, 422, 'IDEMPOTENCY_KEY_REUSED');
      assert.match(reason, /^the key was used (?:with another body|for another request)$/);
    }
    assert.equal(replayed(await post(key, thing('body'))), 'true');
  });

  it('gets the reply to a batch of no records again, and is refused with another body', async () => {
    const key = randomUUID();
    const first = await post(key, []);
    assert.deepEqual(done(first), []);
    assertReplay(await post(key, []), first);
    refused(await post(key, thing('after none')), 422, 'IDEMPOTENCY_KEY_REUSED');
    const used = randomUUID();
    done(await post(used, thing('before none')));
    refused(await post(used, []), 422, 'IDEMPOTENCY_KEY_REUSED');
  });

  it('is another one for another user, and in another application', async () => {
    const key = randomUUID();
    const first = done(await post(key, thing('first user')));
    const second = done(await post(key, thing('second user'), { token: person.token }));
    const third = done(await post(key, thing('first user'), { of: other }));
    assert.equal(new Set([first.id, second.id, third.id]).size, 3);
    assert.equal(replayed(await post(key, thing('second user'), { token: person.token })), 'true');
  });

  it('is another one after 24 hours, when the row is still there', async () => {
    const key = randomUUID();
    const { id } = done(await post(key, { values: {} }));
    aheadMs = 23.9 * HOUR_MS;
    assert.equal((await post(key, { values: {} })).body.id, id);
    aheadMs = 24.1 * HOUR_MS;
    const again = await post(key, { values: {} });
    assert.notEqual(done(again).id, id);
    assert.equal(replayed(again), null);
    assertReplay(await post(key, { values: {} }), again);
    aheadMs = 0;
  });

  it('refuses keys that are none', async () => {
    for (const key of ['', 'a b', 'ä', 'x'.repeat(129), 'a\tb']) {
      const bytes = Buffer.from(key).toString('latin1');
      const reply = await post(bytes, thing('invalid'));
      assert.deepEqual(refused(reply, 400, 'INVALID_PARAMETER'), {
        parameter: 'Idempotency-Key',
        reason: 'must be 1 to 128 visible ASCII characters, and be given once',
      });
    }
    const headers = { 'idempotency-key': ['one', 'two'] as unknown as string };
    refused(await app.send('POST', app.records('Things'), { json: thing('two'), headers }), 400, 'INVALID_PARAMETER');
    for (const key of ['x'.repeat(128), '!', `"${randomUUID()}"`]) done(await post(key, { values: {} }));
  });

  it('gets a refusal again, although the reason for it is gone', async () => {
    const { id } = done(await post(randomUUID(), thing('taken')));
    const refusals: [unknown, string][] = [
      [thing('taken'), 'DUPLICATED_VALUES'],
      [{ values: { [CODE]: 'no value' } }, 'INVALID_VALUE'],
      [{ unknown: 1 }, 'INVALID_BODY'],
    ];
    const replies: [string, unknown, Reply][] = [];
    for (const [body, code] of refusals) {
      const key = randomUUID();
      const reply = await post(key, body);
      refused(reply, 400, code);
      assert.equal(replayed(reply), null);
      replies.push([key, body, reply]);
    }
    assert.equal((await app.send('DELETE', app.records('Things', id))).status, 204);
    for (const [key, body, reply] of replies) {
      assertReplay(await post(key, body), reply);
      refused(await post(key, thing('a better one')), 422, 'IDEMPOTENCY_KEY_REUSED');
    }
  });

  it('gets the 404 of a collection that is not there again', async () => {
    const key = randomUUID();
    const send = () =>
      app.send('POST', '/collections/tnowhere/records', { json: thing('x'), headers: { 'idempotency-key': key } });
    const first = await send();
    refused(first, 404, 'COLLECTION_NOT_FOUND');
    assertReplay(await send(), first);
  });

  it('keeps no refusal of the caller, nor of a body that was not read', async () => {
    const before = (await keys()).length;
    const key = randomUUID();
    const named = { ...thing('of another creator'), creatorId: person.id };
    refused(await post(key, named, { token: person.token }), 403, 'ADMIN_REQUIRED');
    refused(await post(key, thing('no token'), { token: 'nothing' }), 401, 'UNAUTHORIZED');
    const long = JSON.stringify(thing('x'.repeat(1_100_000)));
    const headers = { 'idempotency-key': key, 'content-type': 'application/json' };
    refused(await app.send('POST', app.records('Things'), { raw: long, headers }), 400, 'INVALID_BODY');
    assert.equal((await keys()).length, before);
    done(await post(key, thing('at last')));
  });

  it('keeps what a batch applied before the refused element, and its reply, together', async () => {
    const before = { records: await count(), entries: await entries() };
    const key = randomUUID();
    const batch = [thing('part 1'), thing('part 2'), thing('part 1'), thing('part 3')];
    const first = await post(key, batch);
    const { recordIndex, insertedRecords } = refused(first, 400, 'DUPLICATED_VALUES');
    assert.equal(recordIndex, 2);
    assert.equal(insertedRecords.length, 2);
    assertReplay(await post(key, batch), first);
    const invalid = [thing('part 4'), { values: { cnothing: string('x') } }];
    const second = await post(`${key}2`, invalid);
    assert.equal(refused(second, 400, 'INVALID_VALUE').insertedRecords.length, 1);
    assertReplay(await post(`${key}2`, invalid), second);
    assert.deepEqual(
      { records: await count(), entries: await entries() },
      {
        records: before.records + 3,
        entries: before.entries + 3,
      },
    );
  });

  it('replies with the values of references, also a long reply, as they were', async () => {
    const book = done(await post(randomUUID(), thing('the book')));
    const reference = { type: 'ReferenceString', collectionId: 'tthings0', columnId: CODE, recordId: book.id };
    const note = { values: { [BOOK]: reference, ctext000: string('long '.repeat(1_000)) } };
    const batch = Array.from({ length: 100 }, () => note);
    const key = randomUUID();
    const first = await post(key, batch, { collection: 'Notes' });
    assert.equal(done(first)[99].values[BOOK].value.value, 'the book');
    done(await app.send('PUT', app.records('Things', book.id), { json: thing('the same book, renamed') }));
    assertReplay(await post(key, batch, { collection: 'Notes' }), first);
    assert.equal(await count(app, 'Notes'), 100);
  });

  it('counts toward the quota like any request', async () => {
    const limited = await publishApplication(server, { ...DOCUMENT, ...PLAN });
    const key = randomUUID();
    const first = leftOf((await post(key, thing('counted'), { of: limited })).headers);
    const again = await post(key, thing('counted'), { of: limited });
    assert.equal(replayed(again), 'true');
    assert.equal(leftOf(again.headers), first - 1);
    done(await post(randomUUID(), { values: {} }, { of: limited }));
    refused(await post(key, thing('counted'), { of: limited }), 429, 'TOO_MANY_REQUESTS');
  });

  it('is ignored where it is not taken', async () => {
    const headers = { 'idempotency-key': 'not a key' };
    done(await app.send('GET', app.records('Things'), { headers }));
    const { id } = done(await app.send('POST', app.records('Things'), { json: { values: {} } }));
    assert.equal(done(await app.send('PUT', app.records('Things', id), { json: { values: {} }, headers })).id, id);
  });
});
