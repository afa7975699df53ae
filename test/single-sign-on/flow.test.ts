// The whole way with a real provider: there, in, and back, as a browser goes it.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { Browser } from './browser.ts';
import { type RealProvider, startRealProvider } from './real-provider.ts';
import {
  assertRefused,
  beginPath,
  isCallback,
  loginsOf,
  publishSignedOn,
  redirectAddressOf,
  refusals,
  sessionsOf,
} from './scene.ts';

const isConsole = (url: URL): boolean => url.pathname.startsWith('/console');
const UNAUTHORIZED = { code: 'UNAUTHORIZED' };
const ORGANIZATION = 'Acme & Söhne';

describe('single sign-on with a real provider', () => {
  const { reasons, observe } = refusals();
  let server: TestServer;
  /** Another node, which says that people reach it at the first one's address. */
  let other: TestServer;
  let provider: RealProvider;

  before(async () => {
    server = await startTestServer({ observe });
    other = await startTestServer({ database: server.database, publicUrl: server.address, observe });
    provider = await startRealProvider([await redirectAddressOf(server, ORGANIZATION)]);
    provider.claims.set('ada-sub', { email: 'ada@example.com', email_verified: true });
    provider.claims.set('eve-sub', { email: 'eve@example.com', email_verified: true });
  });
  after(async () => {
    await other.close();
    await server.close();
    await provider.close();
  });

  async function publish(organization = ORGANIZATION, { settings } = provider) {
    const app = await publishSignedOn(server, settings, { organization });
    const ada = await app.addPerson('Ada', { email: 'Ada@Example.com' });
    return { app, ada };
  }

  const toCallback = async (app: TestApplication, browser: Browser, query = ''): Promise<URL> =>
    browser.follow(server.address + beginPath(app.id, query), isCallback);

  it('opens a session for the person, once, and leads back to where they wanted to go', async () => {
    const { app, ada } = await publish();
    provider.person = 'ada-sub';
    const browser = new Browser();
    const begun = await browser.ask(server.address + beginPath(app.id, '?returnTo=%2Fconsole%2Frecords%3Fa%3D1'));
    assert.equal(begun.status, 302);
    assert.equal(begun.headers.get('cache-control'), 'no-store');
    assert.equal(begun.headers.get('referrer-policy'), 'no-referrer');
    const location = new URL(begun.headers.get('location') ?? '');
    const asked = Object.fromEntries(location.searchParams);
    assert.equal(location.origin, provider.issuer);
    assert.equal(asked.response_type, 'code');
    assert.equal(asked.scope, 'openid email profile');
    assert.equal(asked.redirect_uri, `${server.address}/signOn/callback/Acme%20%26%20S%C3%B6hne`);
    assert.equal(asked.code_challenge_method, 'S256');
    assert.match(asked.state ?? '', new RegExp(`^${app.id}\\.[\\w-]{43}$`));
    assert.match(asked.nonce ?? '', /^[\w-]{43}$/);
    const attempt = browser.cookie('cartulary_sign_on_');
    assert.equal(attempt?.attributes, 'Path=/signOn; Max-Age=600; HttpOnly; SameSite=Lax');

    const back = await browser.follow(location, isCallback);
    const done = await browser.ask(back, { 'user-agent': 'Test/1', 'sec-fetch-site': 'cross-site' });
    assert.equal(done.status, 302, done.text);
    assert.equal(done.headers.get('location'), '/console/records?a=1');
    assert.equal(done.headers.get('cache-control'), 'no-store');
    assert.equal(begun.headers.get('clear-site-data'), null);
    assert.equal(done.headers.get('clear-site-data'), '"cache"');
    assert.equal(done.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(browser.cookie('cartulary_sign_on_'), undefined);
    const session = browser.cookie('cartulary_session');
    assert.equal(session?.path, `/v1/${app.id}`);
    assert.match(session?.attributes ?? '', /HttpOnly; SameSite=Strict/);
    assert.deepEqual(await sessionsOf(server, app.id), [{ userId: ada.id, method: 'singleSignOn' }]);
    const [login, ...others] = await loginsOf(server, app.id);
    assert.deepEqual(others, []);
    assert.equal(login?.subType, 'login');
    assert.deepEqual(login?.source, { context: 'console', ip: '127.0.0.1' });
    assert.deepEqual(login?.user, { id: ada.id, name: 'Ada' });
    const kept = await server.database.sql(`select agent from app_${app.id}.sessions`);
    assert.deepEqual(kept, [['Test/1']]);
  });

  it('ends the session that the browser had before, and nobody else’s', async () => {
    const { app } = await publish();
    provider.person = 'ada-sub';
    const signOn = async (browser: Browser): Promise<string> => {
      await browser.follow(server.address + beginPath(app.id), isConsole);
      return browser.cookie('cartulary_session')?.value ?? '';
    };
    const statusOf = async (credentials: string): Promise<number> => {
      const headers = { cookie: `cartulary_session=${credentials}`, 'sec-fetch-site': 'same-origin' };
      return (await server.send('GET', `/v1/${app.id}/session`, { headers })).status;
    };
    const [browser, elsewhere] = [new Browser(), new Browser()];
    const first = await signOn(browser);
    const others = await signOn(elsewhere);
    // Who knows the identifier of a session does not have it.
    const guessed = `${others.split('.')[0]}.${'A'.repeat(43)}`;
    const path = `/v1/${app.id}`;
    const guesser = new Browser();
    guesser.cookies.set('cartulary_session', { value: guessed, path, attributes: '' });
    await signOn(guesser);
    // Begun and not finished, it ends nothing.
    await toCallback(app, browser);
    assert.equal(await statusOf(first), 200);
    const second = await signOn(browser);
    assert.deepEqual([await statusOf(first), await statusOf(second), await statusOf(others)], [401, 200, 200]);
    const kinds = (await loginsOf(server, app.id)).map(({ subType }) => subType);
    assert.deepEqual(kinds, ['login', 'login', 'login', 'login', 'logout']);
  });

  it('takes what came back once, and in the browser that began', async () => {
    const { app } = await publish();
    provider.person = 'ada-sub';
    const browser = new Browser();
    const back = await toCallback(app, browser);
    const stranger = new Browser();
    assertRefused(await stranger.ask(back), 401, UNAUTHORIZED, 'another browser');
    assert.equal(reasons.at(-1), 'another browser began');
    assertRefused(await browser.ask(back), 401, UNAUTHORIZED, 'spent by the other browser');

    const again = await toCallback(app, browser);
    const cookies = new Map(browser.cookies);
    assert.equal((await browser.ask(again)).status, 302);
    for (const [name, cookie] of cookies) browser.cookies.set(name, cookie);
    assertRefused(await browser.ask(again), 401, UNAUTHORIZED, 'replayed');
    assert.equal(reasons.at(-1), 'the state is not known, or was used before');

    // The code of a finished sign-on with the state of another.
    const third = await toCallback(app, browser);
    third.searchParams.set('code', again.searchParams.get('code') ?? '');
    assertRefused(await browser.ask(third), 401, UNAUTHORIZED, 'a code that was used');
    assert.equal(reasons.at(-1), 'the provider says invalid_grant');
    assert.equal((await loginsOf(server, app.id)).length, 1);
  });

  it('keeps a code to the browser that asked for it', async () => {
    const { app } = await publish();
    provider.person = 'ada-sub';
    const victim = await toCallback(app, new Browser());
    provider.person = 'eve-sub';
    const thief = new Browser();
    const own = await toCallback(app, thief);
    own.searchParams.set('code', victim.searchParams.get('code') ?? '');
    assertRefused(await thief.ask(own), 401, UNAUTHORIZED, 'the verifier is another');
    assert.deepEqual(await sessionsOf(server, app.id), []);
  });

  it('allows several at once in one browser', async () => {
    const { app } = await publish();
    provider.person = 'ada-sub';
    const browser = new Browser();
    const [one, two] = [await toCallback(app, browser), await toCallback(app, browser, '?returnTo=/console/two')];
    assert.equal((await browser.ask(two)).headers.get('location'), '/console/two');
    assert.equal((await browser.ask(one)).headers.get('location'), `/console/${app.id}`);
  });

  it('begins on one node and ends on another', async () => {
    const { app, ada } = await publish();
    provider.person = 'ada-sub';
    const browser = new Browser();
    const end = await browser.follow(other.address + beginPath(app.id), isConsole);
    assert.equal(end.origin, server.address);
    assert.deepEqual(await sessionsOf(server, app.id), [{ userId: ada.id, method: 'singleSignOn' }]);
  });

  it('tells a person in words when the provider lets them not in, and a program as ever', async () => {
    const { app } = await publish();
    provider.person = undefined;
    const browser = new Browser();
    const back = await toCallback(app, browser);
    assert.equal(back.searchParams.get('error'), 'access_denied');
    const page = await browser.ask(back, { accept: 'text/html,application/xhtml+xml;q=0.9' });
    assert.equal(page.status, 401);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(String(page.headers.get('content-security-policy')), /^default-src 'none'; frame-ancestors 'none';/);
    assert.doesNotMatch(page.headers.get('www-authenticate') ?? '', /basic/i);
    assert.match(page.text, /could not be signed in/);
    assert.match(page.text, new RegExp(`href="/v1/${app.id}/session/singleSignOn"`));
    assert.doesNotMatch(page.text, /access_denied/);
    assert.equal(reasons.at(-1), 'the provider says access_denied');
    assertRefused(await browser.ask(await toCallback(app, browser)), 401, UNAUTHORIZED, 'as JSON');
  });

  it('follows when the provider changes its keys, at once', async () => {
    const { app } = await publish();
    provider.person = 'ada-sub';
    await new Browser().follow(server.address + beginPath(app.id), isConsole);
    await provider.rotate();
    await new Browser().follow(server.address + beginPath(app.id), isConsole);
    assert.equal((await sessionsOf(server, app.id)).length, 2);
  });

  it('asks for the e-mail address where the token does not say it, and only while it needs it', async (t) => {
    const addresses = [await redirectAddressOf(server, 'Asking')];
    const conform = await startRealProvider(addresses, { conformIdTokenClaims: true });
    const plain = await startRealProvider(addresses, { conformIdTokenClaims: false });
    t.after(() => Promise.all([conform.close(), plain.close()]));
    for (const [real, times] of [
      [conform, 1],
      [plain, 0],
    ] as const) {
      real.claims.set('ada-sub', { email: 'ada@example.com', email_verified: true });
      real.person = 'ada-sub';
      const { app, ada } = await publish('Asking', real);
      await new Browser().follow(server.address + beginPath(app.id), isConsole);
      await new Browser().follow(server.address + beginPath(app.id), isConsole);
      assert.equal((await sessionsOf(server, app.id))[1]?.userId, ada.id);
      assert.equal(real.asked.get('/me') ?? 0, times);
    }
  });
});
