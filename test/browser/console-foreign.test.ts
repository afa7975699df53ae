// Pages of other sites against a person who is signed in: they cannot show the console in a frame, send anything in the
// person's name, or hold on to a window of it.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

describe('other sites and the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let app: TestApplication;
  let own: Page;
  let foreign: Page;
  let sites: Server;

  before(async () => {
    sites = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<body>'));
    await new Promise<void>((resolve) => sites.listen(0, '127.0.0.1', resolve));
    scene = await openConsoleScene();
    app = await publishApplication(scene.server, {
      collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }],
    });
    // An empty collection shows no grid.
    assert.equal((await app.send('POST', app.records('Things'), { json: { values: {} } })).status, 200);
    ({ page: own } = await scene.openPage(`${scene.server.address}/console/${app.id}`));
    await signIn(own, app.admin);
    await own.getByRole('grid').waitFor();
    foreign = await own.context().newPage();
    await foreign.goto(`http://localhost:${(sites.address() as AddressInfo).port}`);
  });
  after(async () => {
    await scene.close();
    sites.closeAllConnections();
    await new Promise((resolve) => sites.close(resolve));
  });

  const count = async () => (await app.send('GET', app.records('Things'))).body.length;

  it('cannot show any page of it in a frame, where clicks could be stolen', async () => {
    const paths = ['', `/${app.id}`, `/${app.id}/${app.ids.Things!.id}`, `/${app.id}/activity`, '/resetPassword'];
    for (const path of paths) {
      const address = `${scene.server.address}/console${path}`;
      for (const element of ['iframe', 'object', 'embed']) {
        const [attribute] = element === 'object' ? ['data'] : ['src'];
        const refused = foreign.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()));
        await foreign.evaluate(`{
          const element = document.createElement('${element}');
          element.setAttribute('${attribute}', '${address}');
          if ('${element}' !== 'iframe') element.type = 'text/html';
          document.body.replaceChildren(element);
        }`);
        await refused;
        const inside = foreign.frames().filter((frame) => frame.url().startsWith(address));
        const texts = await Promise.all(inside.map((frame) => frame.locator('#root').count()));
        assert.ok(
          texts.every((found) => found === 0),
          `${element} of ${path}`,
        );
      }
      const { headers } = await fetch(address);
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
      assert.match(headers.get('content-security-policy') ?? '', /form-action 'none'/);
    }
  });

  it('cannot send a form in the name of the person', async () => {
    const records = `${scene.server.address}/v1/${app.id}${app.records('Things')}`;
    const session = `${scene.server.address}/v1/${app.id}/session`;
    for (const [action, enctype] of [
      [records, 'text/plain'],
      [records, 'application/x-www-form-urlencoded'],
      [records, 'multipart/form-data'],
      [session, 'text/plain'],
    ] as const) {
      const answered = foreign.context().waitForEvent('response', (response) => response.url() === action);
      await foreign.evaluate(`{
        const form = document.createElement('form');
        Object.assign(form, { method: 'post', action: '${action}', enctype: '${enctype}', target: 'answer' });
        // As JSON when it is sent as plain text.
        const field = Object.assign(document.createElement('input'), { name: '{"values":{},"x":"', value: '"}' });
        const frame = Object.assign(document.createElement('iframe'), { name: 'answer' });
        form.append(field);
        document.body.replaceChildren(form, frame);
        form.submit();
      }`);
      assert.ok((await answered).status() >= 400, `${enctype} to ${action}`);
    }
    assert.equal(await count(), 1);
  });

  it('cannot send a request in the name of the person, nor read what comes back', async () => {
    const records = `${scene.server.address}/v1/${app.id}${app.records('Things')}`;
    const session = `${scene.server.address}/v1/${app.id}/session`;
    for (const [address, method] of [
      [records, 'GET'],
      [records, 'POST'],
      [session, 'GET'],
      [session, 'DELETE'],
    ] as const) {
      for (const mode of ['cors', 'no-cors']) {
        if (mode === 'no-cors' && method === 'DELETE') continue;
        const body = method === 'POST' ? `, body: '{"values":{}}'` : '';
        const seen = await foreign.evaluate(
          `fetch('${address}', { method: '${method}', mode: '${mode}', credentials: 'include'${body} })
            .then((reply) => reply.text(), () => '')`,
        );
        assert.equal(seen, '', `${method} ${address} ${mode}`);
      }
    }
    assert.equal(await count(), 1);
    await own.reload();
    await own.getByRole('grid').waitFor();
  });

  it('lose sight of a window of it that they open', async () => {
    const opening = foreign.context().waitForEvent('page');
    await foreign.evaluate(`globalThis.opened = open('${scene.server.address}/console/${app.id}')`);
    const opened = await opening;
    await opened.getByRole('grid').or(opened.getByLabel('Password')).first().waitFor();
    assert.equal(await opened.evaluate('opener'), null);
    await foreign.waitForFunction('opened.closed');
    await opened.close();
  });
});
