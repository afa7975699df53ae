// The console's first page in a real browser: in with a password, who that is, and out; by keyboard, on a phone's screen.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { until } from '../gate/waiting.ts';
import { type Mailbox, openMailbox } from '../sessions/mailbox.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { launch, WITHOUT_BROWSER } from './browsing.ts';

describe('the console', { skip: WITHOUT_BROWSER }, () => {
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

  async function openPage(path: string) {
    const page = await browser.newPage({ viewport: { width: 320, height: 560 } });
    const complaints: string[] = [];
    page.on('console', (message) => {
      // That an answer was 401 or the like is what the page is told, and tells, in words.
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(server.address + path);
    const says = (text: RegExp) =>
      page.getByRole('alert').filter({ hasText: text, visible: true }).waitFor({ timeout: 5_000 });
    return { page, says, complaints };
  }

  it('lets somebody in who types the password, says who that is, and lets them out', async () => {
    const person = await app.addPerson('Person', { email: 'some.person@example.com' });
    const { page, says, complaints } = await openPage(`/console/${app.id}`);
    const user = page.getByLabel('User ID or e-mail address');
    const type = async (password: string) => {
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
    };
    await user.waitFor();
    await type(person.password);
    await says(/Type your user ID/);
    await user.fill('Some.Person@Example.com');
    await type('Wrong-Passw0rd');
    await says(/not right/);
    const wide = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
    assert.ok(wide, 'nothing is cut off on a narrow screen');
    await page.getByRole('button', { name: 'I forgot my password' }).press('Enter');
    await says(/on its way/);
    await until('the mail', () => mailbox.mails.length > 0);
    await type(person.password);
    const { name } = (await server.send('GET', `/v1/${app.id}`, { token: person.token })).body;
    const who = page.getByText(`You are signed in to ${name} as Person.`);
    await who.waitFor();
    // The application is remembered.
    await page.goto('about:blank');
    await page.goto(`${server.address}/console`);
    await who.waitFor();
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await says(/signed out/);
    await user.waitFor();
    assert.equal(await page.evaluate(`fetch('/v1/${app.id}/session').then(({ status }) => status)`), 401);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('asks for the application where the address has none', async () => {
    const { page, says, complaints } = await openPage('/console');
    const field = page.getByLabel('Identifier of the application');
    await field.fill('nothing');
    await page.keyboard.press('Enter');
    await says(/not the identifier/);
    await field.fill(app.id);
    await page.keyboard.press('Enter');
    await page.getByLabel('Password').waitFor();
    assert.equal(new URL(page.url()).hash, `#application=${app.id}`);
    assert.deepEqual(complaints, []);
    await page.close();
  });
});
