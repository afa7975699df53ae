// The raw operations over real HTTP: replies, errors by code, repeating, and the three kinds of credentials.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, createClient } from '../../client/src/client.ts';
import { CartularyError, ConnectionError } from '../../client/src/errors.ts';
import { string } from '../support/application.ts';
import { openScene, type Scene } from './scene.ts';
import type { Trouble } from './troubled-proxy.ts';

const BUSY: Trouble = {
  kind: 'refuse',
  status: 503,
  body: { code: 'UNAVAILABLE', params: { reason: 'busy' } },
  retryAfter: '0',
};
const LIMITED: Trouble = {
  kind: 'refuse',
  status: 429,
  body: { code: 'TOO_MANY_REQUESTS', params: { group: 'records-read' } },
  retryAfter: '0',
};
const CUT_REQUEST: Trouble = { kind: 'cut request' };
const CUT_REPLY: Trouble = { kind: 'cut reply', after: 20 };

describe('the raw operations of the client', () => {
  let scene: Scene;
  let collectionId: string;
  let title: string;

  before(async () => {
    scene = await openScene();
    collectionId = scene.app.ids.Visits?.id ?? '';
    title = scene.app.ids.Visits?.Title ?? '';
  });
  after(() => scene?.close());

  const create = async (client: Client, text: string) =>
    (await client.raw.createRecords({ collectionId, body: { values: { [title]: string(text) } } })).body;
  const meet = (...troubles: (Trouble | undefined)[]) => {
    scene.proxy.seen.length = 0;
    scene.proxy.troubles.splice(0, Number.POSITIVE_INFINITY, ...troubles);
  };
  const refusal = async (work: Promise<unknown>): Promise<CartularyError> => {
    const error = await work.then(
      () => assert.fail('it was not refused'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof CartularyError, String(error));
    return error;
  };

  it('create, get, list, update, upsert and delete records', async () => {
    const { raw } = scene.client;
    const created = await create(scene.client, 'raw');
    const { body: read, headers } = await raw.getRecord({ collectionId, recordId: created.id });
    assert.deepEqual(read, created);
    const etag = headers.get('etag') ?? '';
    const unchanged = await raw.getRecord({ collectionId, recordId: created.id, ifNoneMatch: etag });
    assert.deepEqual([unchanged.status, unchanged.body], [304, undefined]);
    const { body: many } = await raw.createRecords({ collectionId, body: [{ values: {} }, { values: {} }] });
    assert.equal(many.length, 2);
    const changed = await raw.updateRecord({
      collectionId,
      recordId: created.id,
      ifMatch: `"${created.hash}"`,
      body: { values: { [title]: string('changed') }, replace: false },
    });
    assert.notEqual(changed.body.hash, created.hash);
    assert.equal((await raw.deleteRecord({ collectionId, recordId: created.id })).status, 204);
    assert.deepEqual((await raw.deleteRecords({ collectionId, limit: 10 })).body, { deletedCount: 2 });
  });

  it('throw refusals with their code, status, params and request ID', async () => {
    const error = await refusal(scene.client.raw.getRecord({ collectionId, recordId: `r${'0'.repeat(26)}` }));
    assert.ok(error.is('RECORD_NOT_FOUND'));
    assert.equal(error.params.recordId, `r${'0'.repeat(26)}`);
    assert.equal(error.status, 404);
    assert.match(error.requestId ?? '', /\w/);
    assert.match(error.message, /^RECORD_NOT_FOUND \(404\): recordId "r0+"$/);
  });

  it('refuse an empty ID before they are sent', async () => {
    await assert.rejects(async () => scene.client.raw.deleteRecord({ collectionId, recordId: '' }), /recordId/);
  });

  it('are sent again after 429, 503 and cut connections, and reads get their reply', async () => {
    meet(LIMITED, BUSY, CUT_REQUEST, CUT_REPLY);
    const { body } = await scene.troubled.raw.getApplication({});
    assert.equal(body.id, scene.app.id);
    assert.equal(scene.proxy.seen.length, 5);
  });

  it('create records with a key that stays the same when they are sent again', async () => {
    meet(BUSY, CUT_REQUEST, CUT_REPLY, CUT_REPLY);
    const { id } = await create(scene.troubled, 'once');
    const keys = new Set(scene.proxy.seen.map(({ key }) => key));
    assert.deepEqual(
      [scene.proxy.seen.length, keys.size, [...keys].every((key) => /^[0-9a-f]{32}$/.test(key ?? ''))],
      [5, 1, true],
    );
    assert.ok(id);
  });

  it('end after as many tries as were allowed', async () => {
    const client = createClient({
      url: scene.proxy.address,
      application: scene.app.id,
      token: scene.app.admin.token,
      retries: 1,
    });
    meet(CUT_REQUEST, CUT_REQUEST);
    const error = await client.raw.getApplication({}).catch((reason: unknown) => reason);
    assert.ok(error instanceof ConnectionError);
    assert.deepEqual([error.attempts, scene.proxy.seen.length], [2, 2]);
  });

  it('are not sent again where that would do it twice, or would wait for long', async () => {
    meet(CUT_REPLY);
    await assert.rejects(
      scene.troubled.raw.createToken({ userId: scene.app.admin.id, body: { name: 'once' } }),
      ConnectionError,
    );
    assert.equal(scene.proxy.seen.length, 1);
    const created = await create(scene.client, 'conditional');
    const update = { collectionId, recordId: created.id, ifMatch: `"${created.hash}"`, body: { values: {} } };
    meet(CUT_REPLY);
    await assert.rejects(scene.troubled.raw.updateRecord(update), ConnectionError);
    assert.equal(scene.proxy.seen.length, 1);
    meet({ ...LIMITED, retryAfter: '3000' } as Trouble);
    const limited = await refusal(scene.troubled.raw.getApplication({}));
    assert.deepEqual(
      [limited.code, limited.retryAfterSeconds, scene.proxy.seen.length],
      ['TOO_MANY_REQUESTS', 3000, 1],
    );
    meet({
      kind: 'refuse',
      status: 429,
      body: { code: 'TOO_MANY_REQUESTS', params: { reason: 'authentication' } },
      retryAfter: '0',
    });
    await refusal(scene.troubled.raw.getApplication({}));
    assert.equal(scene.proxy.seen.length, 1);
  });

  it('end with the reason of their signal, also while they wait to be sent again', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    meet({ ...BUSY, retryAfter: '30' } as Trouble);
    const waiting = scene.troubled.raw.getApplication({}, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 100);
    await assert.rejects(waiting, reason);
    await assert.rejects(scene.client.raw.getApplication({}, { signal: controller.signal }), reason);
  });

  it('name the status of replies that are not the server’s, and follow no redirect', async () => {
    meet({ kind: 'refuse', status: 418, body: ['tea'] });
    assert.equal((await refusal(scene.troubled.raw.getApplication({}))).code, '418');
    meet({ kind: 'refuse', status: 302, body: {} });
    await assert.rejects(scene.troubled.raw.getApplication({}), /redirects/);
  });

  it('take a token, a password or a session', async () => {
    const { id, password } = scene.app.admin;
    const where = { url: `${scene.server.address}/v1/`, application: scene.app.id };
    const basic = createClient({ ...where, basic: { userId: id, password } });
    assert.equal((await basic.session.get()).user.id, id);
    const session = createClient(where);
    assert.equal((await refusal(session.session.get())).code, 'UNAUTHORIZED');
    await session.session.signIn({ userId: id, password });
    assert.ok((await session.session.get()).sessionExpiresAt);
    const { token } = await session.users.tokens.create(id, { name: 'made with a session', expiresAt: new Date(4e12) });
    assert.equal((await createClient({ ...where, token }).session.get()).user.id, id);
    await session.session.signOut();
    assert.equal((await refusal(session.session.get())).code, 'UNAUTHORIZED');
    assert.throws(() => createClient({ ...where, token, basic: { userId: id, password } }), /either/);
    assert.throws(() => createClient({ ...where, url: 'records.example.com' }), /address/);
  });
});
