// A page of another origin in a real browser, which sends preflights and decides what the page may read.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { launch, WITHOUT_BROWSER } from './browsing.ts';

/** What the page read; status 0: the browser did not let it. */
interface Seen {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

describe('a page of another origin in a browser', { skip: WITHOUT_BROWSER }, () => {
  let pages: Server;
  let origin: string;
  let server: TestServer;
  let app: TestApplication;
  let browser: Browser;
  let page: Page;
  const methods: string[] = [];

  before(async () => {
    pages = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<title>page</title>'),
    );
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    server = await startTestServer({
      observe: (observed) => observed.event === 'request' && methods.push(observed.method),
    });
    app = await publishApplication(server, {
      collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }],
      allowedOrigins: [origin],
    });
    browser = await launch();
    page = await (await browser.newContext()).newPage();
    await page.goto(origin);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    pages?.closeAllConnections();
    await new Promise((resolve) => pages?.close(resolve));
  });

  const ask = (
    path: string,
    options: { headers?: object; [member: string]: unknown } = {},
    from = page,
  ): Promise<Seen> => {
    const headers = { authorization: `Bearer ${app.admin.token}`, ...options.headers };
    return from.evaluate(
      `fetch(${JSON.stringify(`${server.address}/v1/${app.id}${path}`)}, ${JSON.stringify({ ...options, headers })}).then(
        async (answer) => ({ status: answer.status, text: await answer.text(), headers: Object.fromEntries(answer.headers) }),
        () => ({ status: 0, text: '', headers: {} }),
      )`,
    );
  };
  const json = { 'content-type': 'application/json' };
  const create = (title: string, from = page) => {
    const body = JSON.stringify({ values: { [app.ids.Things?.Title ?? '']: string(title) } });
    return ask(app.records('Things'), { method: 'POST', headers: json, body }, from);
  };

  it('creates, reads, changes and deletes records, and reads their headers', async () => {
    const created = await create('from a page');
    assert.equal(created.status, 200, created.text);
    const path = app.records('Things', JSON.parse(created.text).id);
    const read = await ask(path);
    assert.equal(read.status, 200);
    const { etag } = read.headers;
    assert.ok(etag && read.headers['x-request-id']);
    assert.equal((await ask(path, { cache: 'no-cache', headers: { 'if-none-match': etag } })).status, 304);
    const changed = { method: 'PUT', headers: { ...json, 'if-match': etag }, body: '{"values":{}}' };
    assert.equal((await ask(path, changed)).status, 200);
    assert.equal((await ask(path, changed)).status, 412);
    assert.equal((await ask(path, { method: 'DELETE' })).status, 204);
    assert.ok(methods.includes('OPTIONS'), 'the browser has asked before');
  });

  it('reads what went wrong', async () => {
    const refused = await ask(app.records('Things'), { headers: { authorization: 'Bearer wrong.token' } });
    assert.equal(refused.status, 401);
    assert.equal(JSON.parse(refused.text).code, 'UNAUTHORIZED');
    const broken = await ask(app.records('Things'), { method: 'POST', headers: json, body: '{' });
    assert.equal(JSON.parse(broken.text).code, 'INVALID_BODY');
    const long = await ask(app.records('Things'), { method: 'POST', headers: json, body: ' '.repeat(2_000_000) });
    assert.equal(JSON.parse(long.text).code, 'INVALID_BODY');
    for (const [status, path, options] of [
      [404, '/nothing/there', {}],
      [404, '/nothing/there', { method: 'DELETE' }],
      [400, '/collections/%zz', {}],
      [405, '', { method: 'POST' }],
    ] as const) {
      assert.equal((await ask(path, options)).status, status, path);
    }
  });

  it('uploads a file, at once and by tus, and downloads it', async () => {
    const files = `/collections/${app.ids.Things?.id}`;
    const headers = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' };
    const uploaded = await ask(`${files}/attachments`, { method: 'POST', headers, body: 'hello' });
    assert.equal(uploaded.status, 200, uploaded.text);
    const download = await ask(`${files}/attachments/${JSON.parse(uploaded.text).id}`);
    assert.deepEqual([download.status, download.text], [200, 'hello']);
    const tus = { 'tus-resumable': '1.0.0' };
    const announced = await ask(`${files}/uploads`, { method: 'POST', headers: { ...tus, 'upload-length': '5' } });
    assert.equal(announced.status, 201, announced.text);
    const path = new URL(announced.headers.location ?? '').pathname.replace(`/v1/${app.id}`, '');
    const offset = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    const sent = await ask(path, { method: 'PATCH', headers: { ...tus, ...offset }, body: 'hello' });
    assert.deepEqual([sent.status, sent.headers['upload-offset']], [204, '5']);
  });

  it('reads nothing, and creates nothing, where its origin is not allowed', async () => {
    const other = await browser.newPage();
    await other.goto(origin.replace('127.0.0.1', 'localhost'));
    assert.equal((await create('from elsewhere', other)).status, 0);
    assert.equal((await ask(app.records('Things'), {}, other)).status, 0);
    const { body } = await server.send('GET', `/v1/${app.id}${app.records('Things')}`, { token: app.admin.token });
    assert.deepEqual(body, []);
    await other.close();
  });

  it('gets nothing by the session of a person who is signed in', async () => {
    const person = await app.addPerson('Person');
    const own = await page.context().newPage();
    await own.goto(`${server.address}/console/${app.id}`);
    await own.getByLabel('User ID').fill(person.id);
    await own.getByLabel('Password').fill(person.password);
    await own.keyboard.press('Enter');
    await own.getByRole('heading', { name: 'Things' }).waitFor();
    const path = `${server.address}/v1/${app.id}${app.records('Things')}`;
    const seen = await page.evaluate(
      `Promise.all(['include', 'same-origin'].map((credentials) =>
        fetch(${JSON.stringify(path)}, { credentials }).then(({ status }) => status, () => 0)))`,
    );
    assert.deepEqual(seen, [0, 401]);
    await own.close();
  });
});
