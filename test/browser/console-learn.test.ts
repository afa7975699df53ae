// Learning the interface from the console: what a page asks, as programs that really do the same, and the reference, whose
// requests are sent with one's own session.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Page, Request } from 'playwright-core';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { assertUsable, seriousFindings } from './axe.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const VISITS = `Visits '"><img src=x onerror=document.title=1>`;
const HOSTILE = `it's $(touch x) "><img src=x onerror=document.title=1>`;
const run = promisify(execFile);

interface Listed {
  readonly values: Readonly<Record<string, { readonly value: string }>>;
}

describe('learning the interface from the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let app: TestApplication;
  let page: Page;
  let complaints: readonly string[];
  let console: string;

  before(async () => {
    scene = await openConsoleScene();
    app = await publishApplication(scene.server, {
      collections: [{ name: VISITS, columns: [{ name: 'Title', type: 'String', searchable: true, sortable: true }] }],
    });
    const titles = ['Plain', HOSTILE, `${HOSTILE} again`];
    const json = titles.map((title) => ({ values: { [app.ids[VISITS]?.Title ?? '']: string(title) } }));
    assert.equal((await app.send('POST', app.records(VISITS), { json })).status, 200);
    console = `${scene.server.address}/console/${app.id}/${app.ids[VISITS]?.id}`;
    ({ page, complaints } = await scene.openPage(console));
    await signIn(page, app.admin);
    await page.getByRole('row', { name: /Plain/ }).waitFor();
  });
  after(() => scene.close());

  const sheet = () => page.getByRole('dialog', { name: 'Requests of this page' });
  const choose = (name: RegExp) => sheet().getByRole('option', { name }).first().click();
  /** The program that is shown, in the language of that tab. */
  const program = async (language: string) => {
    await sheet().getByRole('tab', { name: language, exact: true }).click();
    return (await sheet().getByRole('region', { name: 'The request as a program' }).textContent()) ?? '';
  };
  const outputOf = async (command: string, ...given: string[]) =>
    (await run(command, given, { env: { ...process.env, TOKEN: app.admin.token, PYTHONUTF8: '1' } })).stdout;
  const titlesIn = (output: string) =>
    (JSON.parse(output) as Listed[]).map(({ values }) => values[app.ids[VISITS]?.Title ?? '']?.value);

  it('shows what the grid asks, as programs that bring the same records', async () => {
    await page.goto(`${console}?search=${encodeURIComponent('"it\'s $(touch x)"')}`);
    await page.getByText('2 hits').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Show the request' }).click();
    await sheet().waitFor();
    const onPage = await page.locator('.grid-row .grid-cell-link').allTextContents();
    assert.equal(onPage.length, 2);
    const command = await program('curl');
    assert.match(command, /Bearer \$TOKEN/);
    assert.deepEqual(titlesIn(await outputOf('sh', '-c', command)), onPage);
    const javascript = (await program('JavaScript')).replace('reply.json()', 'reply.text()');
    assert.deepEqual(titlesIn(await outputOf('node', '--input-type=module', '-e', javascript)), onPage);
    assert.match(await program('Client'), /client\.raw\.listRecords\(\{[^}]*search:/);
    const python = (await program('Python')).replace('json.load(reply)', 'reply.read().decode()');
    if (spawnSync('python3', ['--version']).status === 0)
      assert.deepEqual(titlesIn(await outputOf('python3', '-c', python)), onPage);
    await page.keyboard.press('Escape');
    await sheet().waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).hash, '');
  });

  it('shows a change as it was sent, which the server refuses once the record has changed', async () => {
    await page.goto(console);
    await page.getByRole('link', { name: /Plain/ }).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill(`Changed ${HOSTILE}`);
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Show the request' }).click();
    await choose(/^Change a record/);
    const command = await program('curl');
    assert.match(command, /-X PUT/);
    assert.match(command, /If-Match: /);
    const again = await outputOf('sh', '-c', command).then(
      () => 'stored',
      ({ stdout }: { stdout: string }) => stdout,
    );
    assert.match(again, /PRECONDITION_FAILED/);
    await choose(/^Get a record/);
    const record = JSON.parse(await outputOf('sh', '-c', await program('curl'))) as Listed;
    assert.deepEqual(Object.values(record.values), [string(`Changed ${HOSTILE}`)]);
    assert.equal(await sheet().getByText(app.admin.token).count(), 0);
    await sheet().getByRole('link', { name: 'Make a token' }).click();
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    await sheet().waitFor({ state: 'detached' });
  });

  it('sends requests from the reference with one’s own session', async () => {
    const heard: string[] = [];
    // Not what the page behind it still asks: whether there are notifications is answered by a 403 where there are none.
    const isItsOwn = (request: Request) => request.isNavigationRequest() || request.frame().page() !== page;
    page.context().on('console', (message) => {
      if (message.type() === 'error' && message.page() !== page) heard.push(message.text());
    });
    page.context().on('request', (request) => {
      if (isItsOwn(request) && !request.url().startsWith(scene.server.address)) heard.push(request.url());
    });
    page.context().on('response', async (response) => {
      if (!isItsOwn(response.request()) || response.status() < 400) return;
      heard.push(`${response.url()}: ${await response.text().catch(() => '')}`);
    });
    await page.getByRole('button', { name: 'Account of Admin' }).click();
    const opened = page.waitForEvent('popup');
    await page.getByRole('menuitem', { name: 'All operations of the interface' }).click();
    const reference = await opened;
    await reference.getByRole('heading', { name: 'Interface of Test', exact: true }).waitFor();
    await reference.locator('.opblock-tag', { hasText: VISITS }).click();
    const operation = reference.locator('.opblock', { hasText: 'Lists records in order' });
    await operation.getByRole('button').first().click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByPlaceholder('search').fill('again');
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation
      .locator('.live-responses-table')
      .getByText(JSON.stringify(`${HOSTILE} again`))
      .waitFor();
    assert.equal(await reference.locator('main img').count(), 0, 'names are text');
    assert.deepEqual(await seriousFindings(reference, '.reference-bar'), []);
    assert.deepEqual(heard, []);
    await reference.close();
    const stranger = await scene.openPage(`${scene.server.address}/docs/${app.id}`);
    await stranger.page.getByText('The interface is shown to those who are signed in.').waitFor();
    await stranger.page.goto(`${scene.server.address}/docs`);
    await stranger.page.locator('.opblock-tag').first().waitFor();
    assert.deepEqual(stranger.complaints, []);
    await stranger.page.close();
  });

  it('can be used by everybody, in both languages', async () => {
    await page.goto(`${console}#request`);
    await page.reload();
    await page.locator('.request-text').waitFor();
    await assertUsable(page, 'the request of the page');
    assert.deepEqual(complaints, []);
  });
});
