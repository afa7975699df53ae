// The console's first pages in a real browser: in with a password, who that is, and out; from a mail to a new password.
// They say what is wrong in words, work by keyboard on a phone's screen, and their policy lets nothing else in.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TestApplication } from '../support/application.ts';
import { Client, OTHER_PASSWORD } from '../support/browser-sessions.ts';
import { linkIn, type Mailbox } from '../support/mailbox.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene } from './console-scene.ts';

describe('the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let mailbox: Mailbox;
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    scene = await openConsoleScene();
    ({ mailbox, server, app } = scene);
  });
  after(() => scene.close());

  it('lets somebody in who types the password, says who that is, and lets them out', async () => {
    const person = await app.addPerson('Person', { email: 'some.person@example.com' });
    const { page, says, complaints } = await scene.openPage(`${server.address}/console/${app.id}`);
    const { name } = (await server.send('GET', `/v1/${app.id}`, { token: person.token })).body;
    await page.getByRole('heading', { name: `Sign in to ${name}` }).waitFor();
    assert.equal(await page.title(), `Sign in to ${name} – Cartulary`);
    const user = page.getByLabel('User ID or e-mail address');
    const type = async (password: string) => {
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
    };
    await user.waitFor();
    await type(person.password);
    await says(/Enter your user ID/);
    await user.fill('Some.Person@Example.com');
    await type('Wrong-Passw0rd');
    await says(/Wrong user ID/);
    const wide = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
    assert.ok(wide, 'nothing is cut off on a narrow screen');
    await page.getByRole('button', { name: 'I forgot my password' }).press('Enter');
    await says(/on its way/);
    await until('the mail', () => mailbox.mails.length > 0);
    mailbox.mails.length = 0;
    await type(person.password);
    await page.getByText('This application has no collections yet.').waitFor();
    // The application is remembered.
    await page.goto('about:blank');
    await page.goto(`${server.address}/console`);
    await page.getByRole('button', { name: 'Open the menu' }).press('Enter');
    await page.getByRole('button', { name: 'Account of Person' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).press('Enter');
    await says(/signed out/);
    await user.waitFor();
    assert.equal(await page.evaluate(`fetch('/v1/${app.id}/session').then(({ status }) => status)`), 401);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('asks for the application where the address has none, which is where the bare address leads', async () => {
    const { page, says, complaints } = await scene.openPage(server.address);
    assert.equal(new URL(page.url()).pathname, '/console');
    const field = page.getByLabel('Link to your application');
    await field.fill('nothing');
    await page.keyboard.press('Enter');
    await says(/neither a link/);
    await field.fill(`p${'0'.repeat(26)}`);
    await page.keyboard.press('Enter');
    await says(/no application with this ID/);
    await field.fill(app.id);
    await page.keyboard.press('Enter');
    await page.getByLabel('Password').waitFor();
    assert.equal(new URL(page.url()).pathname, `/console/${app.id}`);
    await page.goBack();
    await says(/no application with this ID/);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('sets a new password, from the mail to signing in with it', async () => {
    const person = await app.addPerson('Forgetful', { email: 'forgetful@example.com' });
    await server.send('POST', `/v1/${app.id}/session/passwordReset`, { json: { userId: person.id } });
    await until('the mail', () => mailbox.mails.length > 0);
    const link = linkIn(mailbox.mails[0]!);
    const { page, says, complaints } = await scene.openPage(link);
    assert.equal(new URL(page.url()).hash, '', 'the token does not stay in the address');
    const type = async (password: string, again: string) => {
      await page.getByLabel('New password', { exact: true }).fill(password);
      await page.getByLabel('Repeat the new password').fill(again);
      await page.keyboard.press('Enter');
    };
    await type('', '');
    await says(/Enter a new password/);
    await type(OTHER_PASSWORD, 'Something-Else0');
    await says(/not the same/);
    await type('weakweak', 'weakweak');
    await says(/uppercase/);
    const wide = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
    assert.ok(wide, 'nothing is cut off on a narrow screen');
    await type(OTHER_PASSWORD, OTHER_PASSWORD);
    await says(/new password is set/);
    assert.equal((await new Client(server.address, app.id).signIn(person.id, OTHER_PASSWORD)).status, 200);
    await page.goto('about:blank');
    await page.goto(link);
    await type(OTHER_PASSWORD, OTHER_PASSWORD);
    await says(/already used/);
    await page.goto(`${server.address}/console/resetPassword`);
    await says(/incomplete/);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('is served, as all pages of the console are, with a policy that lets nothing else in', async () => {
    const start = await (await fetch(`${server.address}/console`)).text();
    const assets = [...start.matchAll(/"\/console(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path);
    assert.ok(assets.length >= 2);
    // As browsers ask, which prefer it to gzip.
    const headers = { 'accept-encoding': 'br' };
    const load = async (path: string) =>
      (await fetch(server.address + path, { headers })).headers.get('content-length');
    const sizes = await Promise.all(assets.map(async (path) => Number(await load(`/console${path}`))));
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 250_000, `the first load has ${sizes.join(', ')} bytes`);
    for (const [path, type] of [
      ['', 'text/html'],
      ['/', 'text/html'],
      ['/resetPassword', 'text/html'],
      [`/${app.id}/t0000000/r00000000000000000000000000`, 'text/html'],
      ...assets.map((path) => [path, path.endsWith('.css') ? 'text/css' : 'text/javascript']),
    ]) {
      const response = await fetch(`${server.address}/console${path}`);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), `${type}; charset=utf-8`);
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'/);
      assert.doesNotMatch(policy, /unsafe/);
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      if (type === 'text/html') assert.doesNotMatch(await response.text(), /<script>|onclick=|style=/);
      else assert.match(response.headers.get('cache-control') ?? '', /immutable/);
    }
    assert.equal((await fetch(`${server.address}/console/../package.json`)).status, 404);
    assert.equal((await fetch(`${server.address}/console/assets/nothing.js`)).status, 404);
    assert.equal((await fetch(`${server.address}/console/resetPassword`, { method: 'POST' })).status, 405);
  });
});
