// The client in a real browser: a page of another origin imports its modules and uses an application with a token, and a
// page of the server uses it with the session of the person who is signed in.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launch, WITHOUT_BROWSER } from '../browser/browsing.ts';
import { openScene, type Scene } from './scene.ts';

const MODULES = new URL('../../client/src/', import.meta.url);

/** Pages that are empty, and the compiled modules of the client. */
async function servePages(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const [, name] = /^\/([\w-]+\.js)$/.exec(request.url ?? '') ?? [];
    if (name === undefined) response.setHeader('content-type', 'text/html').end('<title>page</title>');
    else response.setHeader('content-type', 'text/javascript').end(await readFile(new URL(name, MODULES)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('the client in a browser', { skip: WITHOUT_BROWSER }, () => {
  let pages: Server;
  let origin: string;
  let scene: Scene;
  let browser: Browser;
  let page: Page;

  before(async () => {
    pages = await servePages();
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    scene = await openScene({ allowedOrigins: [origin] });
    browser = await launch();
    page = await (await browser.newContext()).newPage();
    await page.goto(origin);
  });
  after(async () => {
    await browser?.close();
    await scene?.close();
    pages?.closeAllConnections();
    await new Promise((resolve) => pages?.close(resolve));
  });

  /** Runs the body of an async function in the page, with a client of the application. */
  const inPage = (body: string): Promise<unknown> => {
    const options = { url: scene.server.address, application: scene.app.id, token: scene.app.admin.token };
    return page.evaluate(`(async () => {
      const { createClient, CartularyError } = await import('${origin}/main.js');
      const client = createClient(${JSON.stringify(options)});
      const visits = client.collection('Visits');
      ${body}
    })()`);
  };

  it('creates, finds, changes and deletes records from a page of another origin', async () => {
    const seen = await inPage(`
      const rows = Array.from({ length: 150 }, (_, index) => ({ Title: 'page', Number: index, Started: new Date(index) }));
      const { done } = await visits.createMany(rows).finish();
      let walked = 0;
      for await (const visit of visits.search('Title=page')) walked += visit.Started instanceof Date ? 1 : 0;
      const first = await visits.first('Number=0');
      const changed = await visits.update(first, { Passed: true }, { ifUnchanged: true });
      const error = await visits.update(first, { Passed: false }, { ifUnchanged: true }).catch((reason) => reason);
      const deleted = await visits.deleteEverything();
      return [done, walked, changed.Passed, error instanceof CartularyError && error.code, deleted];
    `);
    assert.deepEqual(seen, [150, 150, true, 'PRECONDITION_FAILED', 150]);
  });

  it('uploads files, small and in parts, and downloads them', async () => {
    const seen = await inPage(`
      const small = await visits.upload(new File(['hello'], 'größe.txt', { type: 'text/plain' }));
      const large = await visits.upload(new Blob([new Uint8Array(9_000_000)]), { name: 'large.bin' });
      return [small.name, await small.text(), large.size, (await large.blob()).size];
    `);
    assert.deepEqual(seen, ['größe.txt', 'hello', 9_000_000, 9_000_000]);
  });

  it('uses the session of a page of the server', async () => {
    const { id, password } = scene.app.admin;
    const own = await browser.newPage();
    await own.goto(`${scene.server.address}/console/${scene.app.id}`);
    // The page's policy allows no modules of other origins: the test brings them in by itself.
    await own.route('**/client/*.js', async (route) => {
      const name = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
      await route.fulfill({ contentType: 'text/javascript', body: await readFile(new URL(name, MODULES)) });
    });
    const seen = await own.evaluate(`(async () => {
      const { createClient } = await import('/client/main.js');
      const client = createClient({ url: location.origin, application: '${scene.app.id}' });
      await client.session.signIn({ userId: '${id}', password: '${password}' });
      const { $createdBy } = await client.collection('Sites').create({ Name: 'by session' });
      await client.session.signOut();
      return [$createdBy.id, await client.session.get().catch(({ code }) => code)];
    })()`);
    assert.deepEqual(seen, [id, 'UNAUTHORIZED']);
    await own.close();
  });
});
