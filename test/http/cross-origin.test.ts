// Requests from pages of other origins (CORS): who may read what, and that nothing of it is there unless it was asked for.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { Client } from '../support/browser-sessions.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const EVERYWHERE = 'https://portal.example.com';
const OWN = 'https://app.example.com';
const OTHER = 'https://other.example.com';
const EXPOSED = 'Cartulary-Consistency, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';
const COLLECTION = { name: 'Things', columns: [{ name: 'Title', type: 'String' }] };

describe('pages of other origins', () => {
  let server: TestServer;
  let app: TestApplication;
  let plain: TestApplication;

  before(async () => {
    server = await startTestServer({ allowedOrigins: [EVERYWHERE] });
    app = await publishApplication(server, {
      collections: [COLLECTION],
      allowedOrigins: [OWN],
      plan: 'custom',
      limits: { 'management-read': 0 },
    });
    plain = await publishApplication(server, { collections: [COLLECTION] });
  });
  after(() => server.close());

  const preflight = (path: string, origin: string, method = 'POST') =>
    server.send('OPTIONS', path, { headers: { origin, 'access-control-request-method': method } });
  const records = () => `/v1/${app.id}${app.records('Things')}`;
  const allowedTo = ({ headers }: { headers: Headers }) => headers.get('access-control-allow-origin');

  it('are told in a preflight, without credentials, what they may send', async () => {
    for (const origin of [OWN, EVERYWHERE]) {
      const reply = await preflight(records(), origin);
      assert.equal(reply.status, 204);
      assert.equal(allowedTo(reply), origin);
      assert.equal(reply.headers.get('access-control-allow-methods'), 'GET, HEAD, DELETE, POST, PUT');
      assert.match(
        reply.headers.get('access-control-allow-headers') ?? '',
        /^Authorization, Content-Type,.* If-Match,/,
      );
      assert.equal(reply.headers.get('access-control-max-age'), '7200');
      assert.equal(reply.headers.get('vary'), 'Origin');
      assert.equal(reply.headers.get('access-control-allow-credentials'), null);
      assert.equal(reply.headers.get('ratelimit'), null);
    }
  });

  it('are refused in a preflight where nobody allows them, the application existing or not', async () => {
    const nobody = `/v1/p${'0'.repeat(26)}${app.records('Things')}`;
    for (const path of [records(), `/v1/${plain.id}${plain.records('Things')}`, nobody, `/v1/nonsense`]) {
      for (const origin of [OTHER, 'null', `${OWN}:8443`, 'http://app.example.com']) {
        const reply = await preflight(path, origin);
        assert.equal(reply.status, 403, `${path} ${origin}`);
        assert.equal(allowedTo(reply), null);
      }
    }
    assert.equal((await preflight(`/v1/${plain.id}`, OWN)).status, 403);
    assert.equal((await preflight(`/v1/${plain.id}`, EVERYWHERE)).status, 204);
  });

  it('leave other OPTIONS requests as they are', async () => {
    const reply = await server.send('OPTIONS', records(), { headers: { origin: OWN } });
    assert.equal(reply.status, 405);
    const uploads = `/v1/${app.id}/collections/${app.ids.Things?.id}/uploads`;
    assert.equal((await server.send('OPTIONS', uploads, { headers: { origin: OWN } })).status, 401);
    const tus = await server.send('OPTIONS', uploads, { token: app.admin.token, headers: { origin: OWN } });
    assert.equal(tus.headers.get('tus-version'), '1.0.0');
    const asked = await preflight(uploads, OWN);
    assert.equal(asked.status, 204);
    assert.match(asked.headers.get('access-control-expose-headers') ?? '', /, Location, Upload-Offset, /);
  });

  it('read what they ask for, and every refusal', async () => {
    const get = (path: string, headers: object = {}) =>
      server.send('GET', path, { headers: { origin: OWN, authorization: `Bearer ${app.admin.token}`, ...headers } });
    const reading: [number, ReturnType<typeof get>][] = [
      [200, get(records())],
      [401, get(records(), { authorization: 'Bearer wrong.token' })],
      [400, get(`${records()}?limit=x`)],
      [404, get(`${records()}/r${'0'.repeat(26)}`)],
      [403, get(`/v1/${app.id}/management/users/${app.admin.id}`, { authorization: `Basic ${btoa('u0000000:x')}` })],
      [429, get(`/v1/${app.id}/management/users`)],
    ];
    for (const [status, asked] of reading) {
      const reply = await asked;
      assert.equal(reply.status, status, reply.text);
      assert.equal(allowedTo(reply), OWN);
      assert.equal(reply.headers.get('access-control-expose-headers'), EXPOSED);
      assert.match(reply.headers.get('vary') ?? '', /\bOrigin$/);
      assert.equal(reply.headers.get('access-control-allow-credentials'), null);
    }
  });

  it('read that there is no such path or method, and that a path cannot be read', async () => {
    const refused: [number, string, string][] = [
      [404, 'GET', `/v1/${app.id}/nothing/there`],
      [404, 'GET', `/v1/${app.id}/nothing/there?limit=1`],
      [405, 'POST', `/v1/${app.id}`],
      [400, 'GET', `/v1/${app.id}/collections/%zz`],
    ];
    for (const [status, method, path] of refused) {
      for (const origin of [OWN, EVERYWHERE]) {
        server.invalidate({ application: app.id });
        assert.equal((await preflight(path, origin, method)).status, 204, path);
        for (const token of [undefined, app.admin.token]) {
          const reply = await server.send(method, path, { ...(token && { token }), headers: { origin } });
          assert.equal(reply.status, status, path);
          assert.equal(allowedTo(reply), origin, path);
          assert.equal(reply.headers.get('access-control-expose-headers'), EXPOSED);
          assert.equal(reply.headers.get('vary'), 'Origin');
        }
      }
      const other = await server.send(method, path, { headers: { origin: OTHER } });
      assert.deepEqual([other.status, allowedTo(other)], [status, null]);
      assert.equal(allowedTo(await preflight(path, OTHER, method)), null);
    }
    const unknown = (origin: string) => server.send('GET', '/v1/nothing/there', { headers: { origin } });
    assert.deepEqual([allowedTo(await unknown(EVERYWHERE)), allowedTo(await unknown(OWN))], [EVERYWHERE, null]);
    // No preflight, whatever its headers.
    const headers = { origin: OWN, 'access-control-request-method': 'GET' };
    assert.equal((await server.send('GET', `/v1/${app.id}/nothing/there`, { headers })).status, 404);
  });

  it('of the origins of the operator read the general OpenAPI document', async () => {
    for (const [origin, status, allowed] of [
      [EVERYWHERE, 204, EVERYWHERE],
      [OWN, 403, null],
    ] as const) {
      const asked = await preflight('/v1/openapi.json', origin, 'GET');
      assert.deepEqual([asked.status, allowedTo(asked)], [status, allowed]);
      const reply = await server.send('GET', '/v1/openapi.json', { headers: { origin } });
      assert.deepEqual([reply.status, allowedTo(reply)], [200, allowed]);
      assert.match(reply.headers.get('vary') ?? '', /\bOrigin\b/);
    }
    const { headers } = await server.send('GET', '/v1/openapi.json');
    assert.match(headers.get('vary') ?? '', /\bOrigin\b/);
  });

  it('read a refusal of an application that the server has not loaded yet', async () => {
    server.invalidate({ application: app.id });
    const reply = await server.send('GET', records(), { headers: { origin: OWN } });
    assert.equal(reply.status, 401);
    assert.equal(allowedTo(reply), OWN);
    server.invalidate({ application: app.id });
    assert.equal((await preflight(records(), OWN)).status, 204);
  });

  it('have replies that caches keep apart from those for others', async () => {
    const values = { [app.ids.Things?.Title ?? '']: string('kept') };
    const { body } = await server.send('POST', records(), { token: app.admin.token, json: { values } });
    for (const headers of [{}, { origin: OWN }, { origin: OTHER }]) {
      const reply = await server.send('GET', `${records()}/${body.id}`, { token: app.admin.token, headers });
      assert.equal(reply.headers.get('vary'), 'Authorization, Cookie, Origin');
    }
    const other = await server.send('GET', records(), { token: app.admin.token, headers: { origin: OTHER } });
    assert.equal(other.status, 200);
    assert.equal(allowedTo(other), null);
  });

  it('get nothing of sessions, the console and the operator, and nothing by a cookie', async () => {
    const person = await app.addPerson('Person');
    const client = new Client(server.address, app.id);
    assert.equal((await client.signIn(person.id, person.password)).status, 200);
    const session = `/v1/${app.id}/session`;
    for (const [method, path] of [
      ['GET', session],
      ['GET', `${session}/methods`],
      ['POST', session],
      ['PATCH', session],
      ['GET', `${session}/`],
      ['GET', `/v1/${app.id}/sess%69on`],
      ['GET', '/signOn'],
      ['GET', '/nothing/there'],
      ['GET', '/operator/v1/%zz'],
      ['GET', '/console/assets/nothing'],
      ['GET', '/operator/v1/applications'],
      ['GET', '/healthz'],
    ] as const) {
      const reply = await server.send(method, path, { token: app.admin.token, headers: { origin: EVERYWHERE } });
      assert.equal(allowedTo(reply), null, path);
      assert.equal(allowedTo(await preflight(path, EVERYWHERE)), null, path);
    }
    const withCookie = await client.send('GET', app.records('Things'), { headers: { origin: OWN } });
    assert.equal(withCookie.status, 403);
  });

  it('are written in the definition as browsers write them', async () => {
    const problemsOf = async (allowedOrigins: unknown) => {
      const { status, body } = await server.operator('POST', '/applications?dryRun=true', {
        ...{ name: 'Origins', collections: [], allowedOrigins },
      });
      return status === 200 ? [] : body.params.problems.map(({ path }: { path: string }) => path);
    };
    const wrong = [
      '',
      '*',
      'null',
      'app.example.com',
      'file:///tmp',
      'https://*.example.com',
      'https://App.example.com',
    ];
    for (const origin of [
      ...wrong,
      'https://app.example.com/',
      'https://app.example.com:443',
      'https://me@example.com',
    ]) {
      assert.deepEqual(await problemsOf([OWN, origin]), ['/allowedOrigins/1'], origin);
    }
    assert.deepEqual(await problemsOf([OWN, OWN]), ['/allowedOrigins/1']);
    assert.deepEqual(await problemsOf(OWN), ['/allowedOrigins']);
    assert.deepEqual(await problemsOf([OWN, 'http://localhost:5173', 'http://[::1]:3000']), []);
  });

  it('change with the definition', async () => {
    const document = (await server.operator('GET', `/applications/${plain.id}`)).body;
    const publish = (query: string) =>
      server.operator('POST', `/applications${query}`, { ...document, allowedOrigins: [OTHER] });
    const text = `Allowed origins: none → "${OTHER}".`;
    assert.deepEqual((await publish('?dryRun=true')).body.changes, [{ kind: 'settings', text }]);
    assert.equal((await preflight(`/v1/${plain.id}`, OTHER)).status, 403);
    await publish('');
    assert.equal((await preflight(`/v1/${plain.id}`, OTHER)).status, 204);
  });
});

describe('a server for whose applications nobody allows another origin', () => {
  it('answers as if there were none', async () => {
    const server = await startTestServer();
    try {
      const app = await publishApplication(server, { collections: [COLLECTION] });
      for (const headers of [{}, { origin: OWN }]) {
        const reply = await server.send('GET', `/v1/${app.id}`, { token: app.admin.token, headers });
        assert.equal(reply.status, 200);
        const names = [...reply.headers.keys()].filter((name) => /^access-control|^vary$/.test(name));
        assert.deepEqual(names, []);
      }
    } finally {
      await server.close();
    }
  });
});
