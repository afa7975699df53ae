// Providers, and those who pose as one, that say what they must not: nobody gets in by it.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import {
  CLIENT_SECRET,
  HostileProvider,
  json,
  makeKey,
  startHostileProvider,
} from '../single-sign-on/hostile-provider.ts';
import { assertRefused, begin, loginsOf, publishSignedOn, refusals, sessionsOf } from '../single-sign-on/scene.ts';
import type { Person } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

type App = Awaited<ReturnType<typeof publishSignedOn>>;
const UNAUTHORIZED = { code: 'UNAUTHORIZED' };

describe('single sign-on with a provider that is not to be trusted', () => {
  const { reasons, observe } = refusals();
  const provider = new HostileProvider();
  let server: TestServer;
  let app: App;
  let someone: Person;

  before(async () => {
    server = await startTestServer({ observe });
    await provider.start();
    app = await publishSignedOn(server, provider.settings);
    someone = await app.addPerson('Someone', { email: 'someone@example.com' });
  });
  after(async () => {
    await server.close();
    await provider.close();
  });

  /** A sign-on in which the provider gives the token that `token` makes, and the browser comes back with `more`. */
  async function signOn(token: (nonce: string) => Promise<string> | string, more: Record<string, string> = {}) {
    const { browser, state, nonce, back } = await begin(server, app.id);
    provider.idToken = await token(nonce);
    return browser.ask(back({ code: 'code', state, ...more }));
  }
  const good = (more: JWTPayload = {}) => signOn((nonce) => provider.sign(provider.claims(nonce, more)));
  const seconds = (ago: number) => Math.floor(Date.now() / 1000) - ago;

  it('is let in by nothing but a token that is signed, fresh and meant for this very attempt', async () => {
    const stranger = await makeKey('first');
    const claims = (nonce: string, more: JWTPayload = {}) => provider.claims(nonce, more);
    const without = (nonce: string, name: string) => {
      const { [name]: _left, ...rest } = claims(nonce);
      return rest;
    };
    const hmac = (nonce: string, secret: string, header: object = {}) =>
      new SignJWT(claims(nonce)).setProtectedHeader({ alg: 'HS256', ...header }).sign(new TextEncoder().encode(secret));
    const cases: Record<string, (nonce: string) => Promise<string> | string> = {
      'the nonce of another attempt': () => provider.sign(claims('another')),
      'no nonce': (nonce) => provider.sign(without(nonce, 'nonce')),
      'another issuer': (nonce) => provider.sign(claims(nonce, { iss: 'https://elsewhere.example' })),
      'the issuer with a slash': (nonce) => provider.sign(claims(nonce, { iss: `${provider.issuer}/` })),
      'another audience': (nonce) => provider.sign(claims(nonce, { aud: 'another' })),
      'several audiences without a party': (nonce) => provider.sign(claims(nonce, { aud: ['cartulary', 'another'] })),
      'another authorized party': (nonce) => provider.sign(claims(nonce, { azp: 'another', aud: ['cartulary', 'b'] })),
      'no audience': (nonce) => provider.sign(without(nonce, 'aud')),
      expired: (nonce) => provider.sign(claims(nonce, { iat: seconds(700), exp: seconds(100) })),
      'no expiry': (nonce) => provider.sign(without(nonce, 'exp')),
      'not yet valid': (nonce) => provider.sign(claims(nonce, { nbf: seconds(-600) })),
      'no subject': (nonce) => provider.sign(without(nonce, 'sub')),
      'a subject beyond the standard': (nonce) => provider.sign(claims(nonce, { sub: 'x'.repeat(256) })),
      'a subject with U+0000': (nonce) => provider.sign(claims(nonce, { sub: 'some\u0000one' })),
      'the algorithm none': (nonce) => new UnsecuredJWT(claims(nonce)).encode(),
      'signed with the client secret': (nonce) => hmac(nonce, CLIENT_SECRET),
      'signed with the public key as a secret': (nonce) =>
        hmac(nonce, JSON.stringify(provider.key.publicJwk), { kid: 'first' }),
      'signed by a stranger under a known key id': (nonce) => provider.sign(claims(nonce), stranger),
      'a key id that is not known': (nonce) => provider.sign(claims(nonce), { ...stranger, kid: 'unknown' }),
      'a signature cut off': async (nonce) => (await provider.sign(claims(nonce))).replace(/\.[^.]*$/, '.'),
      'claims exchanged behind the signature': async (nonce) => {
        const [header, , signature] = (await provider.sign(claims(nonce))).split('.');
        const other = Buffer.from(JSON.stringify(claims(nonce, { sub: 'other' }))).toString('base64url');
        return `${header}.${other}.${signature}`;
      },
      'no token': () => '',
      'no JWT': () => 'a.b.c',
    };
    for (const [what, token] of Object.entries(cases)) {
      assertRefused(await signOn(token), 401, UNAUTHORIZED, what);
      assert.doesNotMatch(reasons.at(-1) ?? '', /eyJ|someone/, what);
    }
    assert.deepEqual(await sessionsOf(server, app.id), []);
    assert.deepEqual(await loginsOf(server, app.id), []);
  });

  it('is let in by one, and shows the verifier of the challenge and the client secret', async () => {
    const page = await good();
    assert.equal(page.status, 302, page.text);
    assert.deepEqual(await sessionsOf(server, app.id), [{ userId: someone.id, method: 'singleSignOn' }]);
    const form = provider.forms.at(-1);
    assert.match(form?.get('code_verifier') ?? '', /^[\w-]{43}$/);
    assert.equal(form?.get('redirect_uri'), app.redirectAddress);
  });

  it('is not taken for another provider', async () => {
    const token = (nonce: string) => provider.sign(provider.claims(nonce));
    const before = provider.forms.length;
    assertRefused(await signOn(token, { iss: 'https://elsewhere.example' }), 401, UNAUTHORIZED, 'iss of another');
    assert.equal(provider.forms.length, before, 'a code of another provider was shown to this one');
    assert.equal((await signOn(token, { iss: provider.issuer })).status, 302);
  });

  it('cannot leave out its name where it says that it gives it', async (t) => {
    const named = await startHostileProvider(t);
    named.metadata = { authorization_response_iss_parameter_supported: true };
    const namedApp = await publishSignedOn(server, named.settings);
    const { browser, state, back } = await begin(server, namedApp.id);
    assertRefused(await browser.ask(back({ code: 'c', state })), 401, UNAUTHORIZED, 'no iss');
    assert.deepEqual(named.forms, []);
  });

  it('is not shown a code that was asked from another before the settings changed', async (t) => {
    const later = await startHostileProvider(t);
    const moved = await publishSignedOn(server, provider.settings);
    const { browser, state, back } = await begin(server, moved.id);
    const path = `/organizations/${encodeURIComponent(moved.organization)}`;
    await server.operator('PUT', path, { singleSignOn: later.settings });
    assertRefused(await browser.ask(back({ code: 'c', state })), 401, UNAUTHORIZED, 'moved');
    assert.deepEqual(later.forms, []);
  });

  it('changes its keys between two sign-ons', async () => {
    const next = await makeKey('second');
    provider.keys = [next.publicJwk];
    assertRefused(await good(), 401, UNAUTHORIZED, 'a key that was withdrawn');
    provider.key = next;
    assert.equal((await good()).status, 302);
  });

  it('has no say where the browser’s answer is wrong', async () => {
    const { browser, state, nonce, back } = await begin(server, app.id);
    provider.idToken = await provider.sign(provider.claims(nonce));
    const forms = provider.forms.length;
    const [applicationId = '', random = ''] = state.split('.');
    const wrong: Record<string, Record<string, string>> = {
      'no state': { code: 'c' },
      'an empty state': { code: 'c', state: '' },
      'a state that never was': { code: 'c', state: `${applicationId}.${'A'.repeat(43)}` },
      'a state without its application': { code: 'c', state: random },
      'a longer state': { code: 'c', state: `${state}A` },
      'a path as the application': { code: 'c', state: `../${applicationId}.${random}` },
      'statements as the application': { code: 'c', state: `p'; drop schema cartulary; --.${random}` },
    };
    for (const [what, query] of Object.entries(wrong)) {
      assertRefused(await browser.ask(back(query)), 401, UNAUTHORIZED, what);
    }
    const unknown = `p${'0'.repeat(26)}.${random}`;
    const off = { code: 'FEATURE_DISABLED', params: { feature: 'singleSignOn' } };
    assertRefused(await browser.ask(back({ code: 'c', state: unknown })), 403, off, 'of no application');
    assert.equal(provider.forms.length, forms);
    assert.equal((await browser.ask(back({ code: 'c', state }))).status, 302, 'the attempt is still good');

    const codeless = await begin(server, app.id);
    const page = await codeless.browser.ask(codeless.back({ state: codeless.state }));
    assertRefused(page, 401, UNAUTHORIZED, 'no code');
  });

  it('takes too long, or a browser shows the secret of another attempt', async () => {
    const late = await begin(server, app.id);
    await server.database.sql(`update app_${app.id}.sign_ons set expires_at = now() - interval '1 second'`);
    assertRefused(await late.browser.ask(late.back({ code: 'c', state: late.state })), 401, UNAUTHORIZED, 'late');
    assert.equal(reasons.at(-1), 'it took too long');
    const [one, two] = [await begin(server, app.id), await begin(server, app.id)];
    const name = [...one.browser.cookies.keys()][0] ?? '';
    one.browser.cookies.set(name, [...two.browser.cookies.values()][0]!);
    const mixed = await one.browser.ask(one.back({ code: 'c', state: one.state }));
    assertRefused(mixed, 401, UNAUTHORIZED, 'another secret');
    assert.equal(reasons.at(-1), 'another browser began');
  });

  it('fails at the token endpoint', async () => {
    const answers = {
      '401 invalid_grant': [json({ error: 'invalid_grant' }, 400), 401],
      '401 html': [json('no object'), 401],
      '503 internal': [json({ error: 'x' }, 500), 503],
      '503 unwell': [json({ error: 'temporarily_unavailable' }, 400), 503],
    } as const;
    for (const [what, [respond, status]] of Object.entries(answers)) {
      provider.instead.set('/token', respond);
      const page = await good();
      assert.equal(page.status, status, what);
      if (status === 503) assert.equal(page.headers.get('retry-after'), '5');
    }
    provider.instead.delete('/token');
    const { browser, state, back } = await begin(server, app.id);
    const unwell = await browser.ask(back({ error: 'server_error', state }));
    assert.equal(unwell.status, 503);
  });

  it('redirects to elsewhere and is not followed', async (t) => {
    const elsewhere = await startHostileProvider(t);
    for (const path of ['/token', '/jwks']) {
      provider.instead.set(path, (_request, response) => {
        response.writeHead(307, { location: elsewhere.issuer + path }).end();
      });
      assertRefused(await good(), 401, UNAUTHORIZED, path);
      provider.instead.delete(path);
    }
    assert.deepEqual([...elsewhere.asked], []);
  });
});
