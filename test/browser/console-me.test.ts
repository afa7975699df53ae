// One's own account in the console: the password, sessions, tokens, devices and the language.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { assertUsable } from './axe.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const NEW_PASSWORD = 'Another-Passw0rd';
const HOSTILE = '"><img src=x onerror=document.title=1>';

describe('one’s own account in the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let person: Person;
  let page: Page;
  let complaints: readonly string[];

  before(async () => {
    scene = await openConsoleScene();
    ({ server } = scene);
    app = await publishApplication(server, {
      collections: [{ name: 'Visits', columns: [{ name: 'Title', type: 'String' }] }],
    });
    // Without any right: the account is one's own all the same.
    person = await app.addPerson('Person', { apiAccess: false, email: 'own@example.com' });
    await server.database.sql(
      `insert into app_${app.id}.devices select * from jsonb_populate_record(null::app_${app.id}.devices, $1)`,
      [JSON.stringify(device())],
    );
    const opened = await scene.openPage(`${server.address}/console/${app.id}`);
    ({ page, complaints } = opened);
    await signIn(page, person);
    await page.getByText('Your account may not use the data of this application.').waitFor();
  });
  after(() => scene.close());

  const device = () => ({
    id: '0123456789abcdef',
    user_id: person.id,
    transport: 'webPush',
    name: HOSTILE,
    address: 'https://push.example.com/a',
    created_at: '2026-11-01T00:00:00Z',
    epoch: '0',
    address_hash: '\\x00',
  });
  const section = (name: string) => page.getByRole('region', { name });
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  it('is opened from the menu, and shows who one is', async () => {
    await button('Account of Person').click();
    await page.getByRole('menuitem', { name: 'My account' }).click();
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/console/${app.id}/me`);
    await page.getByText('own@example.com').waitFor();
    await page.getByText(person.id).waitFor();
  });

  it('shows where one is signed in, and ends it there', async () => {
    const [phone, tablet] = await Promise.all(
      [1, 2].map(() => scene.openPage(`${server.address}/console/${app.id}/me`)),
    );
    for (const { page: other } of [phone!, tablet!]) {
      await signIn(other, person);
      await other.getByRole('heading', { name: 'My account' }).waitFor();
    }
    await page.reload();
    const sessions = section('Sessions');
    await sessions.getByText('this browser').waitFor();
    assert.equal(await sessions.getByRole('listitem').count(), 3);
    await sessions
      .getByRole('button', { name: /^End: Chrome/ })
      .first()
      .click();
    await sessions.getByRole('listitem').nth(2).waitFor({ state: 'detached' });
    await button('End all other sessions').click();
    await sessions.getByRole('listitem').nth(1).waitFor({ state: 'detached' });
    for (const { page: other } of [phone!, tablet!]) {
      await other.reload();
      await other.getByLabel('Password').waitFor();
      await other.close();
    }
  });

  it('changes the password, and says what is wrong at the field', async () => {
    const form = section('Password');
    const fill = async (current: string, next: string, again: string) => {
      await form.getByLabel('Present password').fill(current);
      await form.getByLabel('New password', { exact: true }).fill(next);
      await form.getByLabel('Repeat the new password').fill(again);
      await page.keyboard.press('Enter');
    };
    await fill(person.password, NEW_PASSWORD, 'other');
    await form.getByText('The two passwords are not the same.').waitFor();
    await fill('wrong', NEW_PASSWORD, NEW_PASSWORD);
    await form.getByText('This is not your present password.').waitFor();
    await fill(person.password, 'weak', 'weak');
    await form.locator('.field-problem').getByText('At least 8 characters').waitFor();
    await fill(person.password, NEW_PASSWORD, NEW_PASSWORD);
    await form.getByText('Changed. You are signed out everywhere else.').waitFor();
    assert.equal(await form.getByLabel('Present password').inputValue(), '');
    const signedIn = await server.send('POST', `/v1/${app.id}/session`, {
      json: { userId: person.id, password: NEW_PASSWORD },
    });
    assert.equal(signedIn.status, 200);
  });

  it('makes tokens whose secret is shown once, and revokes them', async () => {
    await button('New token').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Make the token' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name').fill(HOSTILE);
    await dialog.getByRole('button', { name: 'Expires' }).click();
    await page.getByRole('option', { name: 'on a date' }).click();
    await dialog.getByLabel('Last day').fill('2020-01-01');
    await dialog.getByRole('button', { name: 'Make the token' }).click();
    await dialog.getByText('Choose a day that is not over.').waitFor();
    await dialog.getByLabel('Last day').fill('2099-12-31');
    await dialog.getByRole('button', { name: 'Make the token' }).click();
    const secret = await dialog.getByLabel('Token').inputValue();
    const use = async () => (await app.send('GET', '/session', { token: secret })).status;
    assert.equal(await use(), 200);
    await button('I have copied it').click();
    const tokens = section('API tokens');
    await tokens.getByText(HOSTILE).waitFor();
    await tokens.getByText(/never used · expires Dec 31, 2099|expires Jan 1, 2100/).waitFor();
    assert.ok(!(await page.content()).includes(secret.split('.')[1] ?? secret), 'the secret is not shown again');
    await tokens.getByRole('button', { name: `Revoke: ${HOSTILE}` }).click();
    await tokens.getByText(HOSTILE).waitFor({ state: 'detached' });
    await until('the token is refused', async () => (await use()) === 401);
  });

  it('lists devices and removes them', async () => {
    const devices = section('Devices');
    await devices.getByText(HOSTILE).waitFor();
    await devices.getByRole('button', { name: `Remove: ${HOSTILE}` }).click();
    await devices.getByText('No devices.').waitFor();
    assert.equal((await app.send('GET', `/users/${person.id}/devices`, { token: person.token })).body.length, 0);
    assert.equal(await page.locator('main img').count(), 0, 'what is named is text');
  });

  it('speaks the language that is chosen, and can be used by everybody', async () => {
    await page.getByText('日本語').click();
    await page.getByRole('heading', { name: 'マイアカウント' }).waitFor();
    await page.reload();
    await page.getByRole('region').nth(3).waitFor();
    await assertUsable(page, 'me');
    assert.deepEqual(complaints, []);
  });
});
