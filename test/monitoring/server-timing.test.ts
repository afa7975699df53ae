// Server-Timing tells those who are known where the time went, and nobody else anything.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { fetchChecked } from '../support/http-client.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';

const DEFINITION = {
  collections: [
    {
      name: 'A',
      columns: [
        { name: 'T', type: 'String' },
        { name: 'F', type: 'Attachment' },
      ],
    },
  ],
};

/** By name: milliseconds, and the description. */
const timingOf = ({
  headers,
}: Pick<Reply, 'headers'>): Map<string, { milliseconds: number; text: string | undefined }> =>
  new Map(
    [...(headers.get('server-timing') ?? '').matchAll(/(\w+);dur=([\d.]+)(?:;desc="([^"]*)")?(?:, |$)/g)].map(
      ([, name = '', milliseconds, text]) => [name, { milliseconds: Number(milliseconds), text }],
    ),
  );

describe('Server-Timing', () => {
  let server: TestServer;
  let app: TestApplication;
  before(async () => {
    server = await startTestServer({ authFailures: { account: 2, address: 1_000_000 } });
    app = await publishApplication(server, DEFINITION);
  });
  after(() => server.close());

  it('names the stages of a request, the statements and the total', async () => {
    const made = await app.send('POST', app.records('A'), { json: { values: { [app.ids.A?.T ?? '']: string('x') } } });
    const got = await app.send('GET', app.records('A', made.body.id));
    for (const reply of [made, got]) {
      const timing = timingOf(reply);
      assert.deepEqual([...timing.keys()], ['admission', 'gate', 'quota', 'body', 'operation', 'db', 'total']);
      // On a cluster the record, its entry and the fence are apart.
      const isApart = reply === made && (await isCitus());
      assert.equal(timing.get('db')?.text, isApart ? '3 statements' : '1 statement');
      const { total, db, ...rest } = Object.fromEntries(
        [...timing].map(([name, { milliseconds }]) => [name, milliseconds]),
      );
      const sum = Object.values(rest).reduce((all, part) => all + part, 0);
      assert.ok(sum <= (total ?? 0) + 0.1, `${sum} of ${total}`);
      assert.ok((db ?? 0) > 0 && (db ?? 0) <= (total ?? 0), `${db} of ${total}`);
    }
    const listed = await app.send('GET', `${app.records('A')}?limit=1`);
    assert.match(timingOf(listed).get('db')?.text ?? '', /^[1-9]\d* statements?$/);
  });

  it('omits the number of statements when a request is refused', async () => {
    const missing = await app.send('GET', app.records('A', `r${'0'.repeat(26)}`));
    assert.equal(missing.status, 404);
    assert.equal(timingOf(missing).get('db')?.text, undefined);
    assert.ok(timingOf(missing).has('total'));
  });

  it('goes out with a stream as well, and to the operator', async () => {
    const path = `/collections/${app.ids.A?.id}/attachments`;
    const headers = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' };
    const uploaded = await app.send('POST', path, { headers, raw: 'hello' });
    assert.equal(uploaded.status, 200, uploaded.text);
    const authorization = `Bearer ${app.admin.token}`;
    const download = await fetchChecked(`${server.address}/v1/${app.id}${path}/${uploaded.body.id}`, {
      headers: { authorization },
    });
    assert.equal(await download.text(), 'hello');
    assert.ok(timingOf(download).has('operation'));
    assert.deepEqual(
      [...timingOf(await server.operator('GET', '/applications')).keys()],
      ['gate', 'body', 'operation', 'db', 'total'],
    );
  });

  it("counts the statements of the operator's requests", async () => {
    for (const path of ['/applications', `/applications/${app.id}`]) {
      const db = timingOf(await server.operator('GET', path)).get('db');
      assert.match(db?.text ?? '', /^[1-9]\d* statements?$/, path);
      assert.ok((db?.milliseconds ?? 0) > 0, path);
    }
  });

  it('reveals nothing to clients without credentials', async () => {
    const basic = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:wrong`).toString('base64')}` });
    const replies = [
      await app.send('GET', app.records('A'), { token: 'wrong' }),
      await server.send('GET', `/v1/${app.id}`),
      await server.send('GET', `/v1/${app.id}`, { headers: basic(app.admin.id) }),
      await server.send('GET', `/v1/${app.id}`, { headers: basic(app.admin.id) }),
      await server.send('GET', `/v1/${app.id}`, { headers: basic(app.admin.id) }),
      await server.send('GET', `/v1/${app.id}`, { headers: basic('u0000000') }),
      await server.send('GET', '/operator/v1/applications', { token: 'wrong' }),
      await server.send('GET', '/metrics', { token: 'wrong' }),
      await server.send('GET', '/healthz'),
      await server.send('GET', '/nowhere'),
    ];
    assert.deepEqual(
      replies.map(({ status }) => status),
      [401, 401, 401, 401, 429, 401, 401, 401, 200, 404],
    );
    for (const { headers } of replies) assert.equal(headers.get('server-timing'), null);
  });
});
