// Attachments in a browser, by what the server answers: how long a browser may keep them, and as what it may ask for them.
// What real browsers make of it is in test/browser.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type AttachmentScene,
  exchange,
  type Headers,
  openAttachments,
  refusedBytes,
  uploaded,
} from '../support/attachments.ts';
import { signedIn } from '../support/browser-sessions.ts';
import { basic } from '../support/http-client.ts';
import { noise } from '../support/images.ts';

const KEPT = 'private, max-age=31536000, immutable';
const ASKED_FOR_EACH_TIME = 'private, no-cache';

describe('attachments for browsers', () => {
  let scene: AttachmentScene;
  let path = '';
  let etag = '';
  let cookie = '';
  let password = '';
  const ask = (headers: Headers, { method = 'GET', query = '' } = {}) =>
    exchange(scene.server.address, method, path + query, { headers });

  before(async () => {
    scene = await openAttachments('disk', { collections: [{ name: 'Files', columns: [] }] });
    const { server, app } = scene;
    const attachments = `/v1/${app.id}/collections/${app.ids.Files?.id}/attachments`;
    const body = await noise(100, 100).png().toBuffer();
    const { token } = app.admin;
    path = `${attachments}/${uploaded(await exchange(server.address, 'POST', attachments, { token, body })).id}`;
    cookie = `cartulary_session=${(await signedIn(server, app, app.admin)).cookie}`;
    password = basic(app.admin.id, app.admin.password);
    etag = String((await ask({ cookie })).headers.etag);
  });
  after(() => scene.close());

  /** Every form that the answer may have. */
  async function assertCaching(headers: Headers, cacheControl: string, what: string): Promise<void> {
    const forms: [number, Headers, { method?: string; query?: string }][] = [
      [200, {}, {}],
      [200, {}, { method: 'HEAD' }],
      [200, {}, { query: '?size=64' }],
      [200, {}, { query: '?size=64', method: 'HEAD' }],
      [206, { range: 'bytes=0-9' }, {}],
      [304, { 'if-none-match': etag }, {}],
      [304, { 'if-none-match': etag }, { method: 'HEAD' }],
    ];
    for (const [status, more, form] of forms) {
      const reply = await ask({ ...headers, ...more }, form);
      const where = `${what} ${status} ${JSON.stringify(form)}`;
      assert.equal(reply.status, status, where);
      assert.equal(reply.headers['cache-control'], cacheControl, where);
      assert.equal(reply.headers.vary, 'Authorization, Cookie', where);
      assert.equal(reply.headers['x-content-type-options'], 'nosniff', where);
    }
    const refused = await ask({ ...headers, range: 'bytes=900000-' });
    refusedBytes(refused, 416, 'RANGE_NOT_SATISFIABLE');
    assert.equal(refused.headers['cache-control'], 'no-store', what);
  }

  it('are revalidated each time with a session, since another person may use the same browser', () =>
    assertCaching({ cookie }, ASKED_FOR_EACH_TIME, 'session'));

  it('may be cached by clients with a token and by programs with a password', async () => {
    const token = `Bearer ${scene.app.admin.token}`;
    await assertCaching({ authorization: token }, KEPT, 'token');
    await assertCaching({ authorization: token, cookie, 'sec-fetch-dest': 'empty' }, KEPT, 'token of a page');
    await assertCaching({ authorization: password, 'user-agent': 'curl/8.5.0' }, KEPT, 'password');
  });

  it('are revalidated each time with a password that a browser remembers', async () => {
    const said: Headers[] = [{ 'sec-fetch-dest': 'document' }, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' }];
    for (const headers of said) {
      await assertCaching({ authorization: password, ...headers }, ASKED_FOR_EACH_TIME, JSON.stringify(headers));
    }
  });

  it('can be shown and saved by a page, and are nothing that it runs, applies or opens inside of it', async () => {
    const refused =
      'script style worker sharedworker serviceworker audioworklet paintworklet xslt manifest object embed frame iframe ' +
      'fencedframe font json report webidentity nonsense script,image';
    const authorizations: Headers[] = [{ cookie }, { authorization: `Bearer ${scene.app.admin.token}` }];
    for (const who of authorizations) {
      for (const destination of ['document', 'empty', 'image', 'audio', 'video', 'track']) {
        assert.equal((await ask({ ...who, 'sec-fetch-dest': destination })).status, 200, destination);
      }
      for (const destination of [...refused.split(' '), '']) {
        const headers = { ...who, 'sec-fetch-dest': destination };
        for (const form of [{}, { query: '?size=64' }]) {
          refusedBytes(await ask(headers, form), 403, 'FORBIDDEN');
        }
        assert.equal((await ask(headers, { method: 'HEAD' })).status, 403, destination);
        assert.equal((await ask({ ...headers, 'if-none-match': etag })).status, 403, destination);
      }
    }
  });
});
