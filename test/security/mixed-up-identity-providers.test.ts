// Many organizations on one server, of which one may be hostile: what a provider says comes back to the address of its
// own organization and counts nowhere else (RFC 9700 section 4.4).

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../single-sign-on/browser.ts';
import { startHostileProvider } from '../single-sign-on/hostile-provider.ts';
import { CLIENT_ID, type RealProvider, startRealProvider } from '../single-sign-on/real-provider.ts';
import {
  assertRefused,
  begin,
  beginPath,
  isCallback,
  loginsOf,
  publishSignedOn,
  redirectAddressOf,
  refusals,
  sessionsOf,
  switchOn,
} from '../single-sign-on/scene.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const UNAUTHORIZED = { code: 'UNAUTHORIZED' };
const ANOTHER = 'the address is that of another organization';
const HONEST = 'Honest';
/** Several of them are alike, to somebody who decodes twice, folds, or takes two forms of a letter for one. */
const NAMES = [
  'a/b',
  'a%2Fb',
  'a%252Fb',
  'a b',
  'a+b',
  '100%',
  '...',
  '?x=1#y',
  "it's (*) ~!;,",
  'A',
  '\u00c5',
  'A\u030a',
  '\u682a\u5f0f\u4f1a\u793e \u2713',
  '\u{1f989}'.repeat(64),
];

describe('single sign-on of many organizations', () => {
  const { reasons, observe } = refusals();
  let server: TestServer;
  let provider: RealProvider;

  before(async () => {
    server = await startTestServer({ observe });
    const addresses = [];
    for (const name of [HONEST, ...NAMES]) addresses.push(await redirectAddressOf(server, name));
    assert.equal(new Set(addresses).size, addresses.length);
    provider = await startRealProvider(addresses);
    provider.claims.set('ada-sub', { email: 'ada@example.com', email_verified: true });
    provider.person = 'ada-sub';
  });
  after(async () => {
    await server.close();
    await provider.close();
  });

  async function publish(organization: string) {
    const app = await publishSignedOn(server, provider.settings, { organization });
    await app.addPerson('Ada', { email: 'ada@example.com' });
    return app;
  }
  async function move(applicationId: string, organization: string): Promise<void> {
    const { body } = await server.operator('GET', `/applications/${applicationId}`);
    const moved = await server.operator('POST', '/applications', { ...body, organization });
    assert.equal(moved.status, 200, moved.text);
  }
  const attemptsOf = async (applicationId: string) =>
    (await server.database.sql(`select count(*)::int from app_${applicationId}.sign_ons`))[0]?.[0];
  const codesUsed = () => provider.asked.get('/token') ?? 0;

  it('leads each back to an address of its own, whatever the name', async () => {
    const app = await publish(HONEST);
    for (const organization of NAMES) {
      await move(app.id, organization);
      const redirectAddress = await switchOn(server, organization, provider.settings);
      assert.match(redirectAddress, /^http:\/\/127\.0\.0\.1:\d+\/signOn\/callback\/[\w.~!'()%-]+$/, organization);
      const browser = new Browser();
      const back = await browser.follow(server.address + beginPath(app.id), isCallback);
      assert.equal(back.origin + back.pathname, redirectAddress);
      const used = codesUsed();
      for (const other of NAMES.filter((name) => name !== organization)) {
        const elsewhere = new URL(back);
        elsewhere.pathname = `/signOn/callback/${encodeURIComponent(other)}`;
        assertRefused(await browser.ask(elsewhere), 401, UNAUTHORIZED, `${organization} at ${other}`);
        assert.equal(reasons.at(-1), ANOTHER);
      }
      assert.equal(codesUsed(), used, organization);
      const done = await browser.ask(back);
      assert.equal(done.status, 302, `${organization} ${done.text} ${reasons.at(-1)}`);
    }
  });

  it('never sends an honest provider’s code to a hostile one, nor anywhere', async (t) => {
    const hostile = await startHostileProvider(t);
    const honest = await publish(HONEST);
    const trap = await publishSignedOn(server, hostile.settings, { organization: 'Hostile' });
    await trap.addPerson('Ada', { email: 'ada@example.com' });
    let redirectUri = honest.redirectAddress;
    hostile.instead.set('/authorize', (request, response) => {
      const asked = new URL(request.url ?? '', hostile.issuer).searchParams;
      asked.set('client_id', CLIENT_ID);
      asked.set('redirect_uri', redirectUri);
      response.writeHead(302, { location: `${provider.issuer}/auth?${asked}` }).end();
    });
    const used = codesUsed();
    const browser = new Browser();
    const back = await browser.follow(server.address + beginPath(trap.id), isCallback);
    assert.match(back.searchParams.get('code') ?? '', /.{20}/);
    assert.equal(back.searchParams.get('state')?.split('.')[0], trap.id);
    // As of a provider that does not say who it is.
    back.searchParams.delete('iss');
    assertRefused(await browser.ask(back), 401, UNAUTHORIZED, 'an honest code in a hostile attempt');
    assert.equal(reasons.at(-1), ANOTHER);
    assert.deepEqual(hostile.forms, []);
    assert.equal(codesUsed(), used);
    assert.equal(await attemptsOf(trap.id), 1, 'the attempt was consumed');

    // With the hostile organization's address the honest provider gives no code.
    redirectUri = trap.redirectAddress;
    const asking = new Browser().follow(server.address + beginPath(trap.id), isCallback);
    await assert.rejects(asking, /answers 400 .*redirect_uri/s);
    for (const { id } of [honest, trap]) {
      assert.deepEqual(await sessionsOf(server, id), []);
      assert.deepEqual(await loginsOf(server, id), []);
    }
  });

  it('is not used up by asking for headers', async () => {
    const app = await publish(HONEST);
    const browser = new Browser();
    const back = await browser.follow(server.address + beginPath(app.id), isCallback);
    const used = codesUsed();
    for (const accept of ['*/*', 'text/html']) {
      const head = await browser.ask(back, { accept }, 'HEAD');
      assert.equal(head.status, 401);
      assert.deepEqual(head.headers.getSetCookie(), []);
    }
    assert.equal(await attemptsOf(app.id), 1);
    assert.equal(codesUsed(), used);
    assert.equal((await browser.ask(back)).status, 302);
    assert.equal(await attemptsOf(app.id), 0);
  });

  it('ends where the application was given to another organization meanwhile', async () => {
    const app = await publish(HONEST);
    const { browser, state, back } = await begin(server, app.id);
    await switchOn(server, 'a b', provider.settings);
    await move(app.id, 'a b');
    assertRefused(await browser.ask(back({ code: 'c', state })), 401, UNAUTHORIZED, 'moved');
    assert.equal(reasons.at(-1), ANOTHER);
  });
});
