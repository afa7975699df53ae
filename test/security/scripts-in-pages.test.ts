// Scripts in the console, and on pages before sign-in: every page forbids scripts but the server's own, frames and
// guessing of types, and shows no text of the request. What real browsers make of it is in test/browser.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { send, type WireReply } from '../support/http-client.ts';
import { openTenants, type Tenants } from './tenants.ts';

const SCRIPT = '"><script>alert(1)</script>';
const ENCODED = encodeURIComponent(SCRIPT);

describe('a page', () => {
  let tenants: Tenants;

  before(async () => {
    tenants = await openTenants();
  });
  after(async () => {
    await tenants.server.close();
  });

  const get = (path: string): Promise<WireReply> =>
    send(tenants.server.address, 'GET', path, {
      headers: { accept: 'text/html', referer: SCRIPT, 'user-agent': SCRIPT },
    });

  const assertSafe = ({ headers, text }: WireReply, path: string) => {
    assert.ok(
      !text.includes(SCRIPT) && !text.includes('<script>alert'),
      `${path} shows what was sent: ${text.slice(0, 300)}`,
    );
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    if (!String(headers['content-type']).startsWith('text/html')) return false;
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/, path);
    assert.match(policy, /frame-ancestors 'none'/, path);
    assert.doesNotMatch(policy, /unsafe-(?:inline|eval)|script-src[^;]*(?:\*|https?:|data:)/, path);
    assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)[^>]*>\s*\S/, `${path} has a script in itself`);
    assert.doesNotMatch(text, /\son\w+=|javascript:/i, path);
    return true;
  };

  it('of the console runs no script but its own', async () => {
    const { id } = tenants.ours.app;
    let pages = 0;
    for (const path of [
      '/console',
      `/console/${id}`,
      `/console/${id}/${ENCODED}`,
      `/console?home=${ENCODED}`,
      '/docs',
      `/docs/${id}?x=${ENCODED}`,
    ]) {
      if (assertSafe(await get(path), path)) pages += 1;
    }
    assert.ok(pages >= 4, `only ${pages} were pages`);
  });

  it('before sign-in shows nothing of what it was sent', async () => {
    const { id } = tenants.ours.app;
    const answers = `state=${ENCODED}&code=${ENCODED}&error=${ENCODED}&error_description=${ENCODED}&iss=${ENCODED}`;
    let pages = 0;
    for (const path of [
      `/v1/${id}/session/singleSignOn?returnTo=${ENCODED}`,
      `/v1/p${'0'.repeat(26)}/session/singleSignOn?returnTo=${ENCODED}`,
      `/signOn/callback/${ENCODED}?${answers}`,
      `/signOn/callback/Ours?${answers}`,
    ]) {
      if (assertSafe(await get(path), path)) pages += 1;
    }
    assert.ok(pages >= 2, `only ${pages} were pages`);
  });

  it('that is not there is JSON, with nothing of its address', async () => {
    for (const path of [`/${ENCODED}`, `/v1/${ENCODED}`, `/console/assets/${ENCODED}`, `/operator/v1/${ENCODED}`]) {
      const reply = await get(path);
      assert.ok(!reply.text.includes('<script'), path);
      assert.equal(reply.headers['x-content-type-options'], 'nosniff', path);
    }
  });
});
