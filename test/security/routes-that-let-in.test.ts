// Every endpoint against every refusal, made from the route tables: a new row is covered by being there.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { type Client, signedIn } from '../support/browser-sessions.ts';
import {
  assertBareProblem,
  assertPrivate,
  assertProblem,
  basic,
  send,
  type WireReply,
  type WireRequest,
} from '../support/http-client.ts';
import {
  bodyOf,
  isIdentifierParameter,
  malformedCode,
  NAMED_ROWS,
  PERMISSIONS,
  pathOf,
  ROWS,
  type Row,
} from '../support/route-rows.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';

const VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const COLLECTIONS = [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }];
const SECRET = 'A'.repeat(43);

/** What is wrong with an identifier that does not fit, whichever it is. */
const malformed = (fit: string): string[] => [
  fit.toUpperCase(),
  fit.slice(0, -1),
  `${fit}0`,
  fit.repeat(200),
  `x${fit.slice(1)}`,
  `${fit.slice(0, -1)}_`,
  `${fit}%0A`,
  `${fit.slice(0, -1)}%00`,
  '%20',
  '..%2F..%2Fetc%2Fpasswd',
  "'%3B%20drop%20table%20x%3B--",
  '%C3%A4%E2%82%AC',
  '%F0%9F%92%A5',
  '__proto__',
];

describe('every endpoint', () => {
  let server: TestServer;
  let app: TestApplication;
  let other: TestApplication;
  let disabled: Person;
  let revoked: Person;
  let named: Client;
  let unnamed: Client;
  /** By permission: somebody who lacks it. */
  const lacking = new Map<string, Person>();

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: COLLECTIONS });
    other = await publishApplication(server, { name: 'Other', collections: COLLECTIONS });
    disabled = await app.addPerson('Disabled', { admin: true, managementApiAccess: true });
    revoked = await app.addPerson('Revoked', { admin: true, managementApiAccess: true });
    for (const [permission, { without }] of Object.entries(PERMISSIONS)) {
      lacking.set(permission, await app.addPerson(`Without ${permission}`, { admin: true, ...without }));
    }
    const person = await app.addPerson('Named');
    const naming = await server.operator('PUT', `/applications/${app.id}/users/${person.id}/operator`);
    assert.equal(naming.status, 204, naming.text);
    named = await signedIn(server, app, person);
    unnamed = await signedIn(server, app, app.admin);
    const tokens = `/applications/${app.id}/users/${revoked.id}/tokens`;
    const revocation = await server.operator('DELETE', `${tokens}/${revoked.token.split('.')[0]}`);
    assert.equal(revocation.status, 204, revocation.text);
    await server.database.sql(`update app_${app.id}.users set disabled = true where id = $1`, [disabled.id]);
    await server.database.sql(`select pg_notify('cartulary', $1)`, [`application ${app.id}`]);
  });
  after(async () => {
    await server.close();
  });

  /** The row's path in the application, where it has a collection; operator rows meet an application that is not there. */
  const pathTo = (row: Row, given: Record<string, string> = {}) =>
    pathOf(row, {
      ...(row.side !== 'operator' ? { applicationId: app.id, collectionId: app.ids.Things!.id! } : {}),
      ...given,
    });
  const withBody = (row: Row) =>
    row.body === undefined ? {} : { body: bodyOf(row), headers: { 'content-type': 'application/json' } };
  const sendRow = (
    row: Row,
    authorization: string | undefined,
    path = pathTo(row),
    request: WireRequest = withBody(row),
  ) =>
    send(server.address, row.method, path, {
      ...request,
      headers: { ...row.headers, ...request.headers, ...(authorization === undefined ? {} : { authorization }) },
    });
  const assertRefusal = ({ method, title }: Row, reply: WireReply, status: number, code: string, where = title) =>
    (method === 'HEAD' ? assertBareProblem : assertProblem)(reply, status, code, where);
  const goodCredentials = (row: Row) => `Bearer ${row.side === 'operator' ? OPERATOR_KEY : app.admin.token}`;

  const wrongCredentials = (): Record<string, string> => {
    const [id] = app.admin.token.split('.');
    return {
      'unknown token': `Bearer 0123456789abcdef.${SECRET}`,
      'wrong secret': `Bearer ${id}.${SECRET}`,
      'token without secret': `Bearer ${id}`,
      'token with an empty secret': `Bearer ${id}.`,
      'token with a NUL in its place': `Bearer ${id}\\0.${SECRET}`,
      'garbage header': 'ÿ garbage ... "; drop',
      'scheme alone': 'Bearer',
      'unknown scheme': `Digest ${app.admin.token}`,
      'no scheme': app.admin.token,
      'wrong password': basic(app.admin.id, 'Wrong-Passw0rd'),
      'empty password': basic(app.admin.id, ''),
      'unknown user': basic('u0000000', app.admin.password),
      'user name for user ID': basic(app.admin.name, app.admin.password),
      'malformed base64': 'Basic !!!not*base64!!!',
      'base64 without a colon': `Basic ${Buffer.from(app.admin.id).toString('base64')}`,
      'NUL in the user ID': basic(`${app.admin.id}\0`, app.admin.password),
      'token of another application': `Bearer ${other.admin.token}`,
      'user of another application': basic(other.admin.id, other.admin.password),
      'token of a disabled user': `Bearer ${disabled.token}`,
      'password of a disabled user': basic(disabled.id, disabled.password),
      'revoked token': `Bearer ${revoked.token}`,
      'nearly the operator key': `Bearer ${OPERATOR_KEY}0`,
    };
  };

  const WITHOUT_USER_ID = ['user name for user ID', 'NUL in the user ID'];
  const NO_USER_ID = 'the user name of Basic is a user ID of the form ^u[a-z0-9]{7}$, not a name or an e-mail address';

  /** An answer without what differs between any two answers. */
  const comparable = ({ status, headers, text }: WireReply) => {
    const { date: _date, 'x-request-id': _requestId, ...rest } = headers;
    return { status, headers: rest, text };
  };

  for (const row of ROWS) {
    if (row.permission === 'open') {
      it(`${row.title} asks for no credentials`, async () => {
        const bare = await sendRow(row, undefined);
        const { status } = bare;
        assert.ok(row.side === 'visitor' ? status < 500 : status === 200, `${status}`);
        if (bare.text !== '') assertPrivate(bare, row.title);
        for (const authorization of Object.values(wrongCredentials())) {
          const reply = await sendRow(row, authorization);
          assert.equal(reply.status, status, reply.text);
        }
      });
      continue;
    }

    it(`${row.title} refuses missing and wrong credentials alike`, async () => {
      const missing = await sendRow(row, undefined);
      assertRefusal(row, missing, 401, 'UNAUTHORIZED', `${row.title} without credentials`);
      assert.equal(missing.text, row.method === 'HEAD' ? '' : '{"code":"UNAUTHORIZED"}');
      assert.match(String(missing.headers['www-authenticate']), /^Bearer\b/);
      for (const [what, authorization] of Object.entries(wrongCredentials())) {
        const reply = await sendRow(row, authorization);
        assertRefusal(row, reply, 401, 'UNAUTHORIZED', `${row.title} with ${what}`);
        const scheme = authorization.split(' ', 1)[0]!.toLowerCase();
        const accepted = row.side === 'operator' ? ['bearer'] : ['bearer', 'basic'];
        const hasReason = !accepted.includes(scheme) || WITHOUT_USER_ID.includes(what);
        if (!hasReason) assert.deepEqual(comparable(reply), comparable(missing), what);
        else if (row.method !== 'HEAD') {
          const names = row.side === 'operator' ? 'Bearer' : 'Bearer or Basic';
          const reason = accepted.includes(scheme) ? NO_USER_ID : `Authorization must begin with ${names}`;
          assert.deepEqual(reply.body.params, { reason }, what);
        }
      }
    });

    it(`${row.title} lets the right credentials pass`, async () => {
      const reply = await sendRow(row, goodCredentials(row));
      // What an application has switched off stands behind every check of who asks.
      const passed = reply.body?.code === 'FEATURE_DISABLED' || ![401, 403, 405, 429, 500, 503].includes(reply.status);
      assert.ok(passed, `${reply.status} ${reply.text}`);
      assert.ok(reply.body?.code !== 'INVALID_CONTENT_TYPE', reply.text);
      if (reply.text !== '') assertPrivate(reply, row.title);
      assert.match(String(reply.headers['x-request-id']), /^[\w-]{4,}$/);
    });

    if (row.side === 'interface') {
      it(`${row.title} answers an unknown application as it answers wrong credentials`, async () => {
        const known = comparable(await sendRow(row, `Bearer 0123456789abcdef.${SECRET}`));
        const unknown = pathTo(row, { applicationId: `p${'0'.repeat(26)}` });
        for (const authorization of [goodCredentials(row), basic(app.admin.id, app.admin.password), undefined]) {
          assert.deepEqual(comparable(await sendRow(row, authorization, unknown)), known);
        }
      });
    }

    if (row.permission !== 'operator' && row.permission !== 'key' && row.permission !== 'self') {
      const { code } = PERMISSIONS[row.permission];
      it(`${row.title} answers ${code} before it looks at the body`, async () => {
        const { token, id, password } = lacking.get(row.permission)!;
        const broken = { body: '{"broken', headers: { 'content-type': 'application/json' } };
        const wrongType = { body: '<xml/>', headers: { 'content-type': 'text/xml' } };
        const requests = row.body === undefined ? [{}] : [withBody(row), broken, wrongType];
        for (const request of requests) {
          for (const authorization of [`Bearer ${token}`, basic(id, password)]) {
            assertRefusal(row, await sendRow(row, authorization, pathTo(row), request), 403, code);
          }
        }
      });
    }

    if (row.body !== undefined) {
      it(`${row.title} looks at credentials before the body`, async () => {
        const bodies: { body: string | Uint8Array; type?: string }[] = [
          { body: '{"broken', type: 'application/json' },
          { body: '', type: 'application/json' },
          { body: '<xml/>', type: 'text/xml' },
          { body: '{}', type: '"not" a; media = type' },
          { body: '{}' },
          { body: ' '.repeat((row.body?.bytesMax ?? 0) + 1), type: 'application/json' },
        ];
        for (const { body, type } of bodies) {
          const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
          for (const authorization of [undefined, `Bearer 0123456789abcdef.${SECRET}`]) {
            const reply = await sendRow(row, authorization, pathTo(row), { body, headers });
            assertProblem(reply, 401, 'UNAUTHORIZED', `${row.title} with ${type} ${body.slice(0, 10)}`);
          }
        }
      });
    }

    for (const parameter of row.parameters.filter(isIdentifierParameter)) {
      it(`${row.title} refuses a malformed ${parameter} before anything else`, async () => {
        const fit = pathOf({ title: row.title, path: `:${parameter}` });
        const broken = { body: '{"broken', headers: { 'content-type': 'text/xml' } };
        for (const text of malformed(fit)) {
          for (const authorization of [undefined, 'Bearer x', goodCredentials(row)]) {
            const reply = await sendRow(row, authorization, pathTo(row, { [parameter]: text }), broken);
            assertRefusal(row, reply, 400, malformedCode(parameter), `${row.title} with ${text.slice(0, 60)}`);
          }
        }
      });
    }

    for (const parameter of row.parameters.filter((name) => !isIdentifierParameter(name))) {
      it(`${row.title} bears anything as ${parameter}`, async () => {
        for (const text of [...malformed('matrix'), '%EF%BF%BF', 'a'.repeat(20_000)]) {
          const path = pathTo(row, { applicationId: app.id, userId: app.admin.id, [parameter]: text });
          const where = path.slice(0, 200);
          const [status, code] = text.includes('%00') ? [400, 'INVALID_PARAMETER'] : [401, 'UNAUTHORIZED'];
          assertProblem(await sendRow(row, undefined, path), status, code, where);
          const reply = await sendRow(row, goodCredentials(row), path);
          assert.ok(reply.status < 500, `${where} answered ${reply.status} ${reply.text.slice(0, 200)}`);
          if (status === 400) assertProblem(reply, status, code, where);
        }
      });
    }
  }

  for (const row of NAMED_ROWS) {
    it(`${row.title} is for users whom the operator has named, with their session alone`, async () => {
      const path = pathOf(row, { signedInTo: app.id });
      const ours = { origin: server.address, 'sec-fetch-site': 'same-origin' };
      const sendBy = (headers: Record<string, string>, at = path) => {
        const { body, headers: type } = withBody(row) as WireRequest;
        return sendRow(row, undefined, at, { ...(body && { body }), headers: { ...type, ...headers } });
      };
      const cookie = (client: Client) => ({ cookie: `cartulary_session=${client.cookie}` });
      for (const headers of [
        ours,
        { ...ours, cookie: `cartulary_session=0123456789abcdef.${SECRET}` },
        { ...ours, ...cookie(named), authorization: `Bearer ${app.admin.token}` },
        { ...ours, authorization: `Bearer ${OPERATOR_KEY}` },
        { ...ours, authorization: basic(app.admin.id, app.admin.password) },
      ]) {
        assertRefusal(row, await sendBy(headers), 401, 'UNAUTHORIZED');
      }
      const elsewhere = pathOf(row, { signedInTo: other.id });
      assertRefusal(row, await sendBy({ ...ours, ...cookie(named) }, elsewhere), 401, 'UNAUTHORIZED');
      assertRefusal(row, await sendBy({ ...ours, ...cookie(unnamed) }), 403, 'FORBIDDEN');
      const foreign = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };
      assertRefusal(row, await sendBy({ ...foreign, ...cookie(named) }), 403, 'FORBIDDEN');
      if (row.method !== 'GET') assertRefusal(row, await sendBy(cookie(named)), 403, 'FORBIDDEN');
      const reply = await sendBy({ ...ours, ...cookie(named) });
      assert.ok(![401, 403, 405, 429, 500, 503].includes(reply.status), `${reply.status} ${reply.text}`);
      assert.equal(reply.headers['access-control-allow-origin'], undefined);
    });
  }

  it('keeps naming operators to the key', async () => {
    const path = `/v1/${app.id}/operator/applications/${app.id}/users/${app.admin.id}/operator`;
    const headers = { origin: server.address, cookie: `cartulary_session=${named.cookie}` };
    for (const verb of ['PUT', 'DELETE']) {
      assertProblem(await send(server.address, verb, path, { headers }), 404, 'NOT_FOUND', verb);
    }
  });

  it('reports the first malformed identifier of several', async () => {
    for (const row of ROWS.filter(({ parameters }) => parameters.filter(isIdentifierParameter).length > 1)) {
      const identifiers = row.parameters.filter(isIdentifierParameter);
      const path = pathTo(row, Object.fromEntries(identifiers.map((name) => [name, 'X'])));
      assertRefusal(row, await sendRow(row, undefined, path), 400, malformedCode(identifiers[0] ?? ''));
    }
  });

  for (const path of new Set(ROWS.map((row) => row.path))) {
    it(`${path} answers other verbs with 405 and Allow`, async () => {
      const rows = ROWS.filter((row) => row.path === path);
      const allowed = rows.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      for (const verb of VERBS.filter((name) => !allowed.includes(name))) {
        for (const authorization of [undefined, goodCredentials(rows[0]!)]) {
          const headers = { ...(authorization === undefined ? {} : { authorization }), 'content-type': 'text/xml' };
          const body = verb === 'TRACE' || verb === 'HEAD' ? {} : { body: '<xml/>' };
          const reply = await send(server.address, verb, `${pathTo(rows[0]!)}?a=b`, { headers, ...body });
          if (verb === 'HEAD') assert.equal(reply.status, 405);
          else assertProblem(reply, 405, 'METHOD_NOT_ALLOWED', `${verb} ${path}`);
          const allow = String(reply.headers.allow).split(', ');
          assert.deepEqual(allow.toSorted(), allowed.toSorted(), `${verb} ${path}`);
        }
      }
    });
  }

  for (const row of ROWS.filter(({ method }) => method === 'GET')) {
    it(`HEAD answers like ${row.title}, without a body`, async () => {
      for (const authorization of [undefined, goodCredentials(row)]) {
        const get = await sendRow(row, authorization);
        const reply = await sendRow({ ...row, method: 'HEAD' }, authorization);
        assert.equal(reply.text, '');
        assert.equal(reply.status, get.status);
        // Metrics are never the same twice.
        const length = row.path.endsWith('/metrics') ? [] : ['content-length'];
        for (const name of ['content-type', ...length, 'etag', 'www-authenticate']) {
          assert.equal(reply.headers[name], get.headers[name], name);
        }
        assert.ok(reply.headers['x-request-id']);
      }
    });
  }
});
