// From the mail to a working new password, in a real browser: the page says what is wrong in words, works by keyboard on
// a phone's screen, and its policy lets nothing else in.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { until } from '../gate/waiting.ts';
import { linkIn, type Mailbox, openMailbox } from '../sessions/mailbox.ts';
import { Client, OTHER_PASSWORD } from '../sessions/scene.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { launch, WITHOUT_BROWSER } from './browsing.ts';

describe('the page of a password reset', { skip: WITHOUT_BROWSER }, () => {
  let mailbox: Mailbox;
  let server: TestServer;
  let app: TestApplication;
  let browser: Browser;

  before(async () => {
    mailbox = await openMailbox();
    server = await startTestServer({ mail: { url: mailbox.url, from: 'records@example.com' } });
    [app, browser] = await Promise.all([publishApplication(server, { collections: [] }), launch()]);
  });
  after(async () => {
    await browser.close();
    await server.close();
    await mailbox.close();
    assert.deepEqual(server.failures, []);
  });

  it('sets the password that was typed', async () => {
    const person = await app.addPerson('Person', { email: 'person@example.com' });
    await server.send('POST', `/v1/${app.id}/session/passwordReset`, { json: { userId: person.id } });
    await until('the mail', () => mailbox.mails.length > 0);
    const page = await browser.newPage({ viewport: { width: 320, height: 560 } });
    const complaints: string[] = [];
    page.on('console', (message) => {
      // That an answer was 400 is what the page is told, and tells, in words.
      if (message.type() === 'error' && !message.text().includes('400')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(linkIn(mailbox.mails[0]!));
    assert.equal(new URL(page.url()).hash, '', 'the token does not stay in the address');
    const says = async (text: RegExp) => {
      await page.getByRole('alert').filter({ hasText: text }).waitFor({ timeout: 5_000 });
    };
    const type = async (password: string, again: string) => {
      await page.getByLabel('New password').fill(password);
      await page.getByLabel('The same again').fill(again);
      await page.keyboard.press('Enter');
    };
    await type('', '');
    await says(/Type a new password/);
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
    await page.goto(linkIn(mailbox.mails[0]!));
    await type(OTHER_PASSWORD, OTHER_PASSWORD);
    await says(/used already/);
    await page.goto(`${server.address}/console/resetPassword`);
    await says(/not complete/);
    assert.deepEqual(complaints, []);
  });

  it('is served, as all pages of the console are, with a policy that lets nothing else in', async () => {
    for (const [path, type] of [
      ['', 'text/html'],
      ['/', 'text/html'],
      ['/resetPassword', 'text/html'],
      ['/page.css', 'text/css'],
      ['/page.js', 'text/javascript'],
      ['/console.js', 'text/javascript'],
      ['/resetPassword.js', 'text/javascript'],
    ]) {
      const response = await fetch(`${server.address}/console${path}`);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), `${type}; charset=utf-8`);
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'/);
      assert.doesNotMatch(policy, /unsafe/);
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.doesNotMatch(await response.text(), /<script>|onclick=|style=/);
    }
    assert.equal((await fetch(`${server.address}/console/../package.json`)).status, 404);
    assert.equal((await fetch(`${server.address}/console/resetPassword`, { method: 'POST' })).status, 405);
  });
});
