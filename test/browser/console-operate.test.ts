// The operator's console, as its operator uses it: publishing with consent to what is lost, going back, limits, users, single
// sign-on, health, the doctor and backups.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { OPERATOR_KEY, type TestServer } from '../support/server.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const HOSTILE = '"><img src=x onerror="document.title=1">';
const NAME = `Works ${HOSTILE}`;

describe("the operator's console", { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let page: Page;
  let complaints: readonly string[];

  before(async () => {
    scene = await openConsoleScene();
    ({ server } = scene);
    app = await publishApplication(server, {
      name: NAME,
      organization: 'Acme',
      collections: [
        {
          name: 'Visits',
          columns: [
            { name: 'Title', type: 'String' },
            { name: 'Note', type: 'String' },
          ],
        },
      ],
    });
    const { Title, Note } = app.ids.Visits!;
    await app.send('POST', app.records('Visits'), {
      json: { values: { [Title!]: string('a'), [Note!]: string('b') } },
    });
    ({ page, complaints } = await scene.openPage(`${server.address}/console/operate`));
    await page.setViewportSize({ width: 1200, height: 900 });
    await page.getByLabel('Operator key').fill(OPERATOR_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: NAME, exact: true }).click();
    await page.getByRole('heading', { name: NAME }).waitFor();
  });
  after(() => scene.close());

  const tab = (name: string) => page.getByRole('tab', { name }).click();
  const documentOf = async () => (await server.operator('GET', `/applications/${app.id}`)).body;
  const choose = async (document: object | string) => {
    const text = typeof document === 'string' ? document : JSON.stringify(document);
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'works.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  };

  it('publishes a document after showing what it changes', async () => {
    await tab('Publish');
    await choose('{');
    await page.getByRole('alert').filter({ hasText: 'The file is not JSON' }).waitFor();
    await choose({ ...(await documentOf()), collections: [{ name: 7 }] });
    await page.getByRole('alert').filter({ hasText: 'The document has problems' }).waitFor();
    await page.getByText('/collections/0/columns').waitFor();
    await page.getByRole('button', { name: 'Another document' }).click();
    const document = await documentOf();
    document.collections[0].columns.push({ name: HOSTILE, type: 'Number' });
    // A document without an identifier is meant for the application on whose page it is dropped.
    await choose({ ...document, id: undefined });
    await page.getByRole('list', { name: 'What changes' }).getByText('is added with type Number').waitFor();
    assert.equal((await documentOf()).collections[0].columns.length, 2, 'nothing is published before consent');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'is published at version 2' }).waitFor();
    assert.equal((await documentOf()).collections[0].columns.length, 3);
  });

  it('asks for the name before data is lost, and knows what was meant as a change of name', async () => {
    await page.getByRole('button', { name: 'Another document' }).click();
    const document = await documentOf();
    document.collections[0].columns[1] = { name: 'Remark', type: 'String' };
    await choose(document);
    const losing = page.getByRole('listitem').filter({ hasText: '1 record loses data' });
    await losing.getByText('Column "Note" of "Visits" is removed').waitFor();
    await page.getByText('Remark in Visits looks like Note with another name').waitFor();
    const publish = page.getByRole('button', { name: 'Publish and lose this data' });
    assert.ok(await publish.isDisabled());
    await page.getByLabel('To agree, type the name').fill(NAME);
    await publish.click();
    await page.getByRole('status').filter({ hasText: 'is published at version 3' }).waitFor();
  });

  it('shows the versions with what each changed, and goes back to one', async () => {
    await tab('History');
    const versions = page.getByRole('list', { name: 'Versions, the latest first' });
    await versions.getByRole('button', { name: /^Version 3.*lost data.*published now/ }).waitFor();
    await versions.getByRole('button', { name: /^Version 1 / }).click();
    await page.getByRole('button', { name: 'Show what would change' }).click();
    await page.getByText('Column "Note" of "Visits" is added').waitFor();
    await page.getByLabel('To agree, type the name').fill(NAME);
    await page.getByRole('button', { name: 'Publish and lose this data' }).click();
    await versions.getByRole('button', { name: /^Version 4.*published now/ }).waitFor();
    const names = (await documentOf()).collections[0].columns.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['Title', 'Note']);
  });

  it('sets the plan and the limits, and shows their use', async () => {
    await tab('Limits');
    await page.getByRole('button', { name: /Plan/ }).click();
    await page.getByRole('option', { name: 'Basic' }).click();
    await page.getByLabel('Limit per hour: Reading records').fill('50');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
    assert.deepEqual([(await documentOf()).plan, (await documentOf()).limits], ['basic', { 'records-read': 50 }]);
    await page.getByRole('link', { name: 'Limits' }).click();
    await page.getByRole('row', { name: /Works.*Reading records.*of 50/ }).waitFor();
    await page.goBack();
  });

  it('creates users, disables them and sets passwords, with refusals in words', async () => {
    await tab('Users');
    await page.getByRole('button', { name: 'Create a user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Mika');
    await dialog.getByLabel('E-mail address').fill('mika@example.com');
    await dialog.getByLabel('Password').fill('short');
    await dialog.getByRole('button', { name: 'Create a user' }).click();
    await dialog
      .getByText(/at least 8 characters/i)
      .first()
      .waitFor();
    await dialog.getByLabel('Password').fill('Change-me-1st');
    await dialog.getByRole('button', { name: 'Create a user' }).click();
    await page.getByRole('row', { name: /Mika.*admin/ }).waitFor();
    await page.getByRole('button', { name: 'Disable Mika' }).click();
    await page.getByRole('row', { name: /Mika.*disabled/ }).waitFor();
    await page.getByRole('button', { name: 'Enable Mika' }).click();
    await page.getByRole('button', { name: 'Disable Mika' }).waitFor();
    await page.getByRole('button', { name: 'Set a password for Mika' }).click();
    await dialog.getByLabel('New password').fill('Changed-2nd');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Done.' }).waitFor();
    assert.equal(await page.getByRole('row', { name: /Mika/ }).count(), 1);
  });

  it('names a user as an operator, who then needs no key', async () => {
    await page.getByRole('button', { name: 'Name Mika as an operator' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('can then do everything on these pages').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Mika has to sign in again' }).waitFor();
    const row = page.getByRole('row', { name: /Mika.*operator/ });
    await row.waitFor();
    const theirs = await scene.openPage(`${server.address}/console/${app.id}`);
    const { page: other } = theirs;
    await signIn(other, { id: 'mika@example.com', password: 'Changed-2nd' });
    await other.getByRole('link', { name: 'Server administration' }).click();
    await other.getByRole('link', { name: NAME, exact: true }).click();
    await other.getByRole('tab', { name: 'Users' }).click();
    await other.getByText('Operators are named with the operator key.').waitFor();
    assert.equal(await other.getByRole('button', { name: /as an operator/ }).count(), 0);
    await other.goto(`${server.address}/console/operate/health`);
    await other.getByText('The server and its database are well').waitFor();
    assert.equal(await other.evaluate("sessionStorage.getItem('cartulary.operatorKey')"), null);
    await row.getByRole('button', { name: 'Remove Mika as an operator' }).click();
    await dialog.getByRole('button', { name: 'Remove as operator' }).click();
    await page.getByRole('button', { name: 'Name Mika as an operator' }).waitFor();
    await other.getByRole('link', { name: 'Limits' }).click();
    await other.getByLabel('Operator key').waitFor();
    assert.deepEqual(theirs.complaints, []);
    await other.context().close();
  });

  it('shows what applications hold, and their requests', async () => {
    await tab('Overview');
    const figure = page.getByRole('figure', { name: 'Requests to this application' });
    await figure.locator('svg').first().waitFor();
    await figure.getByRole('button', { name: /Period/ }).click();
    await page.getByRole('option', { name: 'Last 30 days' }).click();
    assert.match(await page.getByRole('term').filter({ hasText: 'Records' }).locator('xpath=..').innerText(), /1$/);
    await page.getByRole('link', { name: 'Applications', exact: true }).click();
    const row = page.getByRole('row', { name: NAME });
    await row.getByText(/kB|MB/).waitFor();
    await row.getByRole('link', { name: NAME, exact: true }).click();
  });

  it('turns single sign-on on, tests it, and turns it off', async () => {
    await page.getByRole('link', { name: 'Organizations' }).click();
    const acme = page.getByRole('region', { name: 'Acme' });
    await acme.getByRole('button', { name: 'Turn on single sign-on' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Issuer').fill('http://127.0.0.1:1');
    await dialog.getByLabel('Client ID').fill('works');
    await dialog.getByLabel('Client secret').fill('hush');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await acme.getByText('/signOn/callback/').waitFor();
    await acme.getByRole('button', { name: 'Test' }).click();
    await acme.getByRole('alert').filter({ hasText: 'cannot be used' }).waitFor();
    await acme.getByRole('button', { name: 'Change single sign-on' }).click();
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await acme.getByRole('button', { name: 'Turn on single sign-on' }).waitFor();
    assert.equal(await acme.getByText('/signOn/callback/').count(), 0);
  });

  it('draws the figures of the server', async () => {
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByText('The server and its database are well').waitFor();
    await page
      .getByRole('figure', { name: /Requests per second/ })
      .locator('svg')
      .first()
      .waitFor();
    await page.getByRole('row', { name: /search-indexes/ }).waitFor();
    await page
      .getByRole('row', { name: /POST \/operator\/v1\/applications/ })
      .first()
      .waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  it('examines the files, and saves a backup', async () => {
    await page.getByRole('link', { name: 'Maintenance' }).click();
    await page.getByRole('button', { name: 'Examine' }).click();
    await page.getByRole('status').filter({ hasText: 'All is well' }).waitFor();
    // Headless browsers have no dialog that chooses a place.
    await page.evaluate('delete window.showSaveFilePicker');
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Take a backup' }).click();
    const download = await downloading;
    assert.match(download.suggestedFilename(), /^cartulary-\d{8}T\d{6}Z\.tar\.gz$/);
    const archive = gunzipSync(await readFile((await download.path()) ?? ''));
    assert.ok(archive.includes('manifest.json'));
    await page.getByRole('status').filter({ hasText: 'is saved' }).waitFor();
  });

  it('names its pages in full on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    const cut = `[...document.querySelectorAll('.operate-bar nav a')]
      .filter((link) => link.scrollWidth > link.clientWidth).map((link) => link.textContent)`;
    assert.deepEqual(await page.evaluate(cut), []);
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    await page.reload();
    const { x = -1, width = 0 } = (await page.locator('.operate-bar nav .active').boundingBox()) ?? {};
    assert.ok(x >= 0 && x + width <= 390, 'the page that is open is named in sight');
    await page.setViewportSize({ width: 1200, height: 900 });
  });

  it('removes an application only after its name was typed', async () => {
    const other = await publishApplication(server, { name: 'Brief', collections: [] });
    await page.goto(`${server.address}/console/operate/applications/${other.id}`);
    await page.getByRole('button', { name: 'Remove the application' }).click();
    const dialog = page.getByRole('alertdialog');
    const remove = dialog.getByRole('button', { name: 'Remove the application' });
    assert.ok(await remove.isDisabled());
    await dialog.getByRole('textbox').fill('Brief');
    await remove.click();
    await page.getByRole('heading', { name: 'Applications' }).waitFor();
    assert.equal((await server.operator('GET', `/applications/${other.id}`)).status, 404);
  });

  it('complains of nothing', () => {
    assert.deepEqual(complaints, []);
  });
});
