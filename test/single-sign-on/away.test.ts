// A provider that is away, slow, endless or someone else: an answer comes soon, and the next attempt may work.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ProviderAway } from '../../src/single-sign-on/bounded-fetch.ts';
import { type Attempt, Providers } from '../../src/single-sign-on/providers.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { Browser } from './browser.ts';
import { json, startHostileProvider } from './hostile-provider.ts';
import { begin, beginPath, publishSignedOn, refusals } from './scene.ts';

const DESCRIPTION = '/.well-known/openid-configuration';
const DEADLINE_MS = 300;
const ATTEMPT: Attempt = {
  redirectUri: 'http://127.0.0.1/signOn/callback/Acme',
  state: 'state',
  nonce: 'nonce',
  verifier: 'v'.repeat(43),
};

describe('a provider of single sign-on that is away', () => {
  const { reasons, observe } = refusals();
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ observe });
  });
  after(async () => {
    await server.close();
  });

  it('answers 503 in both directions, and works again when it is back', async (t) => {
    const provider = await startHostileProvider(t);
    const app = await publishSignedOn(server, provider.settings);
    await app.addPerson('Someone', { email: 'someone@example.com' });
    provider.instead.set(DESCRIPTION, json({}, 502));
    const browser = new Browser();
    const away = await browser.ask(server.address + beginPath(app.id));
    assert.equal(away.status, 503);
    assert.deepEqual(JSON.parse(away.text), { code: 'UNAVAILABLE', params: { reason: 'provider' } });
    assert.equal(away.headers.get('retry-after'), '5');
    assert.equal(reasons.at(-1), 'the provider answers 502');
    const html = { accept: 'text/html' };
    const page = await browser.ask(`${server.address}${beginPath(app.id)}?returnTo=/console/%26%22%3E`, html);
    assert.equal(page.status, 503);
    assert.equal(page.headers.get('retry-after'), '5');
    assert.match(page.text, /try again in a moment/);
    assert.match(page.text, /singleSignOn\?returnTo=%2Fconsole%2F%26%22%3E"/);
    provider.instead.delete(DESCRIPTION);
    const { browser: later, state, back } = await begin(server, app.id);
    await provider.close();
    const closed = await later.ask(back({ code: 'c', state }));
    assert.equal(closed.status, 503, closed.text);
    assert.equal(reasons.at(-1), 'the provider ECONNREFUSED');
  });

  it('is given up within the deadline, whatever it is slow with', async (t) => {
    const provider = await startHostileProvider(t);
    const silent = () => undefined;
    const cases: Record<string, () => Promise<unknown>> = {
      [DESCRIPTION]: () => new Providers(DEADLINE_MS).authorizationAddress(provider.settings, ATTEMPT),
      '/token': () => new Providers(DEADLINE_MS).identify(provider.settings, ATTEMPT, { code: 'c', state: 'state' }),
      '/jwks': async () => {
        provider.idToken = await provider.sign(provider.claims('nonce'));
        return new Providers(DEADLINE_MS).identify(provider.settings, ATTEMPT, { code: 'c', state: 'state' });
      },
    };
    for (const [path, work] of Object.entries(cases)) {
      provider.instead.set(path, silent);
      const startedAt = performance.now();
      await assert.rejects(work(), (error) => error instanceof ProviderAway && /in time/.test(error.message), path);
      assert.ok(performance.now() - startedAt < 4 * DEADLINE_MS, path);
      // Headers at once and the body never: as bad.
      provider.instead.set(path, (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{');
      });
      await assert.rejects(work(), ProviderAway, path);
      provider.instead.delete(path);
    }
  });

  it('is not read beyond a bound', async (t) => {
    const provider = await startHostileProvider(t);
    provider.instead.set(DESCRIPTION, json({ ...provider.description(), filling: 'x'.repeat(2 * 1024 * 1024) }));
    const ask = () => new Providers(5_000).authorizationAddress(provider.settings, ATTEMPT);
    await assert.rejects(ask(), /more than 1048576 bytes/);
  });

  it('must be who it is said to be', async (t) => {
    const provider = await startHostileProvider(t);
    const ask = () => new Providers(5_000).authorizationAddress(provider.settings, ATTEMPT);
    const bad: Record<string, unknown>[] = [
      { issuer: 'https://elsewhere.example' },
      { issuer: undefined },
      { jwks_uri: undefined },
      { authorization_endpoint: undefined },
      { authorization_endpoint: 'javascript:alert(1)' },
      { authorization_endpoint: 'http://elsewhere.example/authorize' },
    ];
    for (const metadata of bad) {
      provider.metadata = metadata;
      await assert.rejects(ask(), ProviderAway, JSON.stringify(metadata));
    }
    provider.instead.set(DESCRIPTION, (_request, response) => {
      response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
    });
    await assert.rejects(ask(), ProviderAway, 'a redirect');
  });

  it('is asked once by all who come at the same time, and not again for a while', async (t) => {
    const provider = await startHostileProvider(t);
    const app = await publishSignedOn(server, provider.settings);
    await Promise.all(Array.from({ length: 20 }, () => begin(server, app.id)));
    await begin(server, app.id);
    assert.equal(provider.asked.get(DESCRIPTION), 1);
  });
});
