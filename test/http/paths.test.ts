// Paths beside the tables: what is not there, what cannot be read, health, and the query.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BUILD, VERSION } from '../../src/cli/version.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { assertProblem, fetchChecked, head, onWire, send } from '../support/http-client.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const DOCUMENT = { name: 'Paths', collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }] };

describe('paths', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, DOCUMENT);
  });
  after(async () => {
    await server.close();
  });

  it('leads a browser from the bare address to the console', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    for (const verb of ['GET', 'HEAD']) {
      const reply = await send(server.address, verb, '/?a=b', { headers });
      assert.equal(reply.status, 302);
      assert.equal(reply.headers.location, '/console');
      assert.equal(reply.headers.vary, 'Accept');
    }
  });

  it('answers NOT_FOUND for whatever it does not have, to everybody', async () => {
    const application = `/v1/${app.id}`;
    const paths = [
      '/',
      '/v1',
      '/v1/',
      '/v2',
      `${application}/nothing`,
      `${application}${app.records('Things')}/r${'0'.repeat(26)}/more`,
      `${application}/Collections/${app.ids.Things!.id}/records`,
      `/V1/${app.id}`,
      `/v1/${app.id};a=b/nothing`,
      '/operator',
      '/operator/v1',
      '/operator/v1/',
      '/operator/v1/nothing',
      '/healthz/x',
      '/HEALTHZ',
      '/favicon.ico',
      '/.env',
      '/..%2f..%2fetc%2fpasswd',
      '/%00',
      '/constructor',
      '/__proto__',
      `/${'x'.repeat(50_000)}`,
    ];
    for (const path of paths) {
      for (const verb of ['GET', 'POST', 'OPTIONS']) {
        for (const authorization of [undefined, `Bearer ${app.admin.token}`, `Bearer ${OPERATOR_KEY}`]) {
          const headers = authorization === undefined ? {} : { authorization };
          const reply = await send(server.address, verb, `${path}?a=b`, { headers });
          assertProblem(reply, 404, 'NOT_FOUND', `${verb} ${path.slice(0, 100)}`);
          assert.equal(reply.text, '{"code":"NOT_FOUND"}');
        }
      }
    }
  });

  it('finds a resource by its path with a slash at the end, with every method', async () => {
    const records = app.records('Things');
    const values = { [app.ids.Things!.Title!]: { type: 'String', value: 'x' } };
    const created = await app.send('POST', `${records}/`, { json: { values } });
    assert.equal(created.status, 200, created.text);
    const { id } = created.body;
    assert.equal((await app.send('GET', '/')).body.id, app.id);
    assert.equal((await app.send('GET', `${records}/${id}/`)).body.id, id);
    const page = await app.send('GET', `${records}/?limit=1`);
    assert.deepEqual(page.body, [created.body]);
    assert.match(String(page.headers.get('link')), /\/records\?limit=1&after=/);
    assert.equal((await app.send('PUT', `${records}/${id}/`, { json: { values } })).status, 200);
    assert.equal((await app.send('PATCH', `${records}/`)).status, 405);
    assert.equal((await app.send('DELETE', `${records}/${id}/`)).status, 204);
    assert.equal((await send(server.address, 'GET', '/healthz/')).status, 200);
    assert.equal((await fetchChecked(`${server.address}/console/`)).status, 200);
    assert.equal((await server.operator('GET', '/applications/')).status, 200);
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': '1' };
    const uploads = `/collections/${app.ids.Things!.id}/uploads`;
    const announced = await app.send('POST', `${uploads}/`, { headers });
    assert.equal(announced.headers.get('location'), `${server.address}/v1/${app.id}${uploads}/${announced.body.id}`);
    for (const path of ['//', `/${id}//`]) {
      assert.equal((await app.send('GET', `${records}${path}`)).status, 404, path);
    }
  });

  it('deletes nothing where the ID of a record was left out', async () => {
    const records = app.records('Things');
    assert.equal((await app.send('POST', records, { json: { values: {} } })).status, 200);
    const unknown = await app.send('DELETE', `${records}???search=x`);
    assert.deepEqual([unknown.status, unknown.body.params.parameter], [400, '?search']);
    for (const path of [`${records}/`, `${records}/?limit=5`, `${records}/?search=x`]) {
      const reply = await app.send('DELETE', path);
      assert.equal(reply.status, 400, reply.text);
      const reason = 'must not end with a slash: the ID after it may be missing';
      assert.deepEqual(reply.body, { code: 'INVALID_PARAMETER', params: { parameter: 'path', reason } });
    }
    const left = await app.send('GET', records);
    assert.equal(left.body.length, 1, left.text);
  });

  it('deletes nothing where records are named in a body, which the operation would ignore', async () => {
    const records = app.records('Things');
    const made = await app.send('POST', records, { json: { values: {} } });
    assert.equal(made.status, 200);
    const before = (await app.send('GET', records)).body.length;
    const reason = 'must be empty: the operation would delete more than a body could name';
    const authorization = `Bearer ${app.admin.token}`;
    for (const text of [`["${made.body.id}"]`, '{"search":"nothing"}', '[]', 'search=nothing']) {
      for (const chunked of [false, true]) {
        // Node's client declares no body of a DELETE by itself.
        const framing = chunked ? { 'transfer-encoding': 'chunked' } : {};
        const headers = { authorization, 'content-type': 'application/json', ...framing };
        const path = `/v1/${app.id}${records}`;
        const reply = await send(server.address, 'DELETE', path, { headers, body: text, chunked });
        assertProblem(reply, 400, 'INVALID_BODY', text);
        assert.deepEqual(reply.body.params, { reason });
      }
    }
    assert.equal((await app.send('GET', records)).body.length, before);
    const none = { authorization, 'content-type': 'application/json', 'content-length': '0' };
    const reply = await send(server.address, 'DELETE', `/v1/${app.id}${records}?search=nothing`, { headers: none });
    assert.equal(reply.status, 204);
  });

  it('deletes nothing where a # was sent as it is, before what the client meant', async () => {
    const doomed = await publishApplication(server, DOCUMENT);
    const records = `/v1/${doomed.id}${doomed.records('Things')}`;
    assert.equal((await doomed.send('POST', doomed.records('Things'), { json: { values: {} } })).status, 200);
    const reason = 'has a # in its URL, where it is written %23';
    const operator = { authorization: `Bearer ${OPERATOR_KEY}` };
    const admin = { authorization: `Bearer ${doomed.admin.token}` };
    for (const [path, headers] of [
      [`${records}/#12`, admin],
      [`${records}#search=zzzz`, admin],
      [`${records}?limit=5#serach=x`, admin],
      [`${server.address}${records}/#12`, admin],
      [`/v1/${doomed.id}/users/${doomed.admin.id}/sessions/#x`, admin],
      [`/operator/v1/applications/${doomed.id}/#users/x`, operator],
      [`/operator/v1/applications/${doomed.id}#`, operator],
    ] as const) {
      const reply = await send(server.address, 'DELETE', path, { headers });
      assertProblem(reply, 400, 'INVALID_PARAMETER', path);
      assert.deepEqual(reply.body.params, { parameter: 'request', reason });
    }
    assert.equal((await doomed.send('GET', doomed.records('Things'))).body.length, 1);
  });

  it('checks a parameter however its name is written', async () => {
    for (const name of ['search', 'sear%63h', '%73earch', '?search', '&search']) {
      const reply = await app.send('GET', `${app.records('Things')}?${name}=%FF`);
      const params = { parameter: 'search', reason: 'is not percent-encoded UTF-8' };
      assert.deepEqual([reply.status, reply.body], [400, { code: 'INVALID_PARAMETER', params }], name);
    }
    assert.equal((await app.send('GET', `${app.records('Things')}?%FF=%FF`)).status, 200);
  });

  it('answers NOT_FOUND also where the body is nonsense', async () => {
    for (const type of ['text/xml', 'garbage', '"not" a; media = type']) {
      const reply = await send(server.address, 'POST', '/nothing', { headers: { 'content-type': type }, body: '{' });
      assertProblem(reply, 404, 'NOT_FOUND', type);
    }
  });

  it('answers a percent-encoding that cannot be read', async () => {
    for (const path of [
      '/%',
      '/%zz',
      '/v1/%',
      `/v1/${app.id}%f`,
      '/v1/%ED%A0%80',
      '/v1/%C3%28',
      '/operator/v1/%E0%A4%A',
    ]) {
      await onWire(server.address, async (wire) => {
        wire.write(head('GET', path)).write(head('GET', '/healthz'));
        assertProblem(await wire.answer(), 400, 'INVALID_PARAMETER', path);
        assert.equal((await wire.answer()).status, 200, 'the connection lives on');
      });
    }
    const reply = await send(server.address, 'GET', `/v1/${app.id}?search=%zz&limit=%`, {
      headers: { authorization: `Bearer ${app.admin.token}` },
    });
    assert.equal(reply.status, 200, 'a query that nobody reads harms nobody');
  });

  it('reads a percent-encoded path like a plain one', async () => {
    const encoded = [...app.id].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    const reply = await send(server.address, 'GET', `/v1/${encoded}`, {
      headers: { authorization: `Bearer ${app.admin.token}` },
    });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.id, app.id);
  });

  it('says that it lives and that it is ready', async () => {
    for (const [path, body] of [
      ['/healthz', { status: 'ok', version: VERSION, build: BUILD }],
      ['/readyz', { status: 'ready', ...((await isCitus()) ? { workers: 2, workersAway: 0 } : {}) }],
    ] as const) {
      const reply = await send(server.address, 'GET', path);
      assert.equal(reply.status, 200);
      assert.deepEqual(reply.body, body);
      assert.equal(reply.headers['cache-control'], 'no-store');
      assert.ok(reply.headers['x-request-id']);
      const bare = await send(server.address, 'HEAD', path);
      assert.deepEqual([bare.status, bare.text], [200, '']);
      for (const verb of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const refused = await send(server.address, verb, path);
        assertProblem(refused, 405, 'METHOD_NOT_ALLOWED', `${verb} ${path}`);
        assert.equal(refused.headers.allow, 'GET, HEAD');
      }
    }
  });

  it('is not ready while migrations are missing, and lives', async () => {
    const own = await startTestServer();
    try {
      await own.database.sql('alter schema cartulary rename to elsewhere');
      const reply = await send(own.address, 'GET', '/readyz');
      assertProblem(reply, 503, 'UNAVAILABLE');
      assert.ok(Number(reply.headers['retry-after']) > 0);
      assert.equal((await send(own.address, 'GET', '/healthz')).status, 200);
      await own.database.sql('alter schema elsewhere rename to cartulary');
      // One answer serves all who ask within a quarter of a second.
      await until('readiness', async () => (await send(own.address, 'GET', '/readyz')).status === 200);
    } finally {
      await own.close();
    }
  });

  const publish = (query: string, document: object = { ...DOCUMENT, id: app.id, name: 'Renamed' }) =>
    server.operator('POST', `/applications${query}`, document);
  const version = async () => (await app.send('GET', '')).body.version;

  it('reads a switch in the query as true or false and nothing else', async () => {
    const before = await version();
    for (const query of ['?dryRun=true', '?allowDataLoss=false&dryRun=%74rue', '?&&dryRun=true&']) {
      const reply = await publish(query);
      assert.equal(reply.status, 200, reply.text);
      assert.ok(reply.body.changes.length > 0, query);
      assert.equal(await version(), before, `${query} does nothing`);
    }
    for (const [query, parameter] of [
      ['?dryRun', 'dryRun'],
      ['?dryRun=', 'dryRun'],
      ['?dryRun=1', 'dryRun'],
      ['?dryRun=TRUE', 'dryRun'],
      ['?dryRun=yes', 'dryRun'],
      ['?dryRun=%00', 'dryRun'],
      ['?dryRun=true%20', 'dryRun'],
      ['?dryRun=maybe&dryRun=true', 'dryRun'],
      ['?dryRun=true&dryRun=false', 'dryRun'],
      ['?dryrun=true', 'dryrun'],
      ['?a=b&dryRun=true', 'a'],
      ['?__proto__=true&constructor=true', '__proto__'],
      ['?dryRun=true&allowDataLoss=on', 'allowDataLoss'],
    ]) {
      const reply = await publish(query!);
      assert.equal(reply.status, 400, `${query} answered ${reply.text}`);
      assert.equal(reply.body.code, 'INVALID_PARAMETER');
      assert.equal(reply.body.params.parameter, parameter);
      assert.equal(await version(), before, `${query} does nothing`);
    }
    for (const query of ['?dryRun=false', '']) {
      const name = `Renamed by ${query || 'nothing'}`;
      const reply = await publish(query, { ...DOCUMENT, id: app.id, name });
      assert.equal(reply.status, 200, reply.text);
      assert.equal((await app.send('GET', '')).body.name, name, query);
    }
  });
});
