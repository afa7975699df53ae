// The activity log in the console, as somebody looks who deleted a record: narrowed down, counted, exported, and hidden from
// those who may not see it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { fill } from '../activity-log/log.ts';
import { type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import { fetchChecked } from '../support/http-client.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const HOSTILE = '"><img src=x onerror="document.title=1">';
const DAY_MS = 86_400_000;

describe('the activity log in the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let hana: Person;
  let page: Page;
  let complaints: readonly string[];
  let deleted = '';

  before(async () => {
    scene = await openConsoleScene();
    ({ server } = scene);
    app = await publishApplication(server, {
      collections: [
        { name: 'Visits', columns: [{ name: 'Title', type: 'String' }] },
        { name: HOSTILE, columns: [{ name: 'Title', type: 'String' }] },
      ],
    });
    hana = await app.addPerson('Hana');
    const strange = await app.addPerson(`=1+1 ${HOSTILE}`);
    const add = async (collection: string, token: string): Promise<string> => {
      const json = { values: { [app.ids[collection]!.Title!]: string('a') } };
      return (await app.send('POST', app.records(collection), { json, token })).body.id;
    };
    // Longer than some pages, so that the list has to be walked.
    await fill(server.database, app.id, { at: Date.now() - 3 * DAY_MS, count: 350 });
    await add(HOSTILE, strange.token);
    deleted = await add('Visits', hana.token);
    await app.send('DELETE', app.records('Visits', deleted), { token: hana.token });
    const files = `/collections/${app.ids.Visits!.id}/attachments`;
    const raw = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const picture = await app.send('POST', files, { raw, headers: { 'content-type': 'image/png' } });
    assert.equal(
      (
        await fetchChecked(`${server.address}/v1/${app.id}${files}/${picture.body.id}?size=64`, {
          headers: { authorization: `Bearer ${app.admin.token}` },
        })
      ).status,
      200,
    );
    ({ page, complaints } = await scene.openPage(`${server.address}/console/${app.id}`));
    await signIn(page, app.admin);
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
  });
  after(() => scene.close());

  const list = () => page.getByRole('grid', { name: 'Entries, newest first' });
  const row = (text: string) => list().getByRole('row', { name: text }).first();
  const parameters = () => Object.fromEntries(new URL(page.url()).searchParams);

  it('tells in sentences who did what, newest first, with details on demand', async () => {
    await row('Hana deleted a record of Visits').waitFor();
    await row(`=1+1 ${HOSTILE} created “a” in ${HOSTILE}`).waitFor();
    await row('Hana deleted a record of Visits').getByText(deleted).waitFor();
    assert.match(await list().getByRole('row').first().innerText(), /Admin signed in/);
    assert.equal(await page.locator('main img').count(), 0, 'names are texts');
    await row('Hana deleted a record of Visits').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(deleted).waitFor();
    await dialog.getByText('127.0.0.1').waitFor();
    await dialog.getByRole('button', { name: 'Everything about this record' }).click();
    await row('Hana created a record of Visits').waitFor();
    assert.equal(await list().getByRole('row').count(), 2);
    assert.deepEqual(parameters(), { record: deleted });
    await row('Hana created a record of Visits').click();
    await dialog.getByText(/^This record was deleted .* by Hana\.$/).waitFor();
    assert.equal(await dialog.getByRole('link', { name: 'Open the record' }).count(), 0);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear' }).click();
    await row('Admin signed in').waitFor();
    assert.equal(await page.getByText('saw the preview').count(), 0);
    await page.getByText('With previews of pictures').click();
    await row('Admin saw the preview of a picture of Visits').waitFor();
    await page.getByText('With previews of pictures').click();
    await page.waitForURL((url) => url.search === '');
  });

  it('is walked to its end by keyboard', async () => {
    let ended = false;
    page.on('response', (response) => {
      if (response.url().includes('/userActivityLogs/entries') && response.headers().link === undefined) ended = true;
    });
    await row('Admin signed in').waitFor();
    await until('the end of the log', async () => {
      // A list that is read anew takes the row away that has the focus.
      if ((await list().locator(':focus').count()) === 0) await list().getByRole('row').first().focus();
      await page.keyboard.press('End');
      return ended;
    });
    await page.keyboard.press('End');
    await row('Somebody with a name created a record of Visits').waitFor();
    assert.ok((await list().getByRole('row').count()) < 80, 'only what is in sight is on the page');
  });

  it('is narrowed down by person, kind, collection and period, and the address says so', async () => {
    await page.getByRole('combobox', { name: 'Person' }).fill('han');
    await page.getByRole('option', { name: 'Hana' }).click();
    await page.waitForURL(/person=/);
    await page.getByRole('button', { name: /Kind/ }).click();
    await page.getByRole('option', { name: 'Record deleted' }).click();
    await page.waitForURL(/kind=record\.delete/);
    await page.getByRole('button', { name: /Collection/ }).click();
    await page.getByRole('option', { name: 'Visits' }).click();
    await page.waitForURL(/collection=/);
    await page.getByRole('button', { name: 'Choose days' }).click();
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    await page.waitForURL(/from=/);
    await row('Hana deleted a record of Visits').waitFor();
    assert.equal(await list().getByRole('row').count(), 1);
    const { person, kind, collection, from, to } = parameters();
    assert.deepEqual([person, kind, collection], [hana.id, 'record.delete', app.ids.Visits!.id]);
    assert.equal((Date.parse(to ?? '') - Date.parse(from ?? '')) / DAY_MS, 6);
    await page.reload();
    await row('Hana deleted a record of Visits').waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Person' }).inputValue(), 'Hana');
    await page.getByLabel('Record', { exact: true }).fill('nonsense');
    await page.keyboard.press('Enter');
    await page.getByText('neither the ID of a record').waitFor();
    await page.getByLabel('Record', { exact: true }).fill(`https://example.com/console/p/t/r${'0'.repeat(26)}`);
    await page.keyboard.press('Enter');
    await page.getByText('Nothing was recorded that fits.').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.waitForURL((url) => url.search === '');
  });

  it('is counted by day and by kind, and a kind narrows the list down', async () => {
    const figures = page.getByRole('region', { name: 'Figures' });
    await figures.getByRole('button', { name: /Record created\s*352/ }).waitFor();
    await figures.getByRole('row', { name: / 350$/ }).waitFor();
    assert.ok((await figures.locator('.recharts-bar-rectangle path').count()) > 0);
    const kinds = figures.locator('.activity-kinds');
    const few = await kinds.getByRole('button').count();
    await figures.getByRole('button', { name: /^All \d+ kinds$/ }).click();
    assert.ok((await kinds.getByRole('button').count()) > few + 1);
    const cut = `[...document.querySelectorAll('.activity-charts section')]
      .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight).length`;
    assert.equal(await page.evaluate(cut), 0, 'all lines are seen whole');
    await figures.getByRole('button', { name: /Record deleted/ }).click();
    await page.waitForURL(/kind=record\.delete/);
    await page.getByRole('button', { name: 'Hide the figures' }).click();
    await figures.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show the figures' }).click();
    await page.goBack();
    await row('Admin signed in').waitFor();
  });

  it('is exported as it is narrowed down, for spreadsheets without formulas', async () => {
    await page.goto(`${server.address}/console/${app.id}/activity?collection=${app.ids[HOSTILE]!.id}`);
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export' }).click();
    const file = await download;
    assert.match(file.suggestedFilename(), /^activity-.*\.csv$/);
    const text = readFileSync(await file.path(), 'utf8');
    const lines = text.trimEnd().split('\r\n');
    assert.equal(lines.length, 2, text);
    assert.match(lines[0] ?? '', /^\ufeffDate,Kind,Person,/);
    assert.match(lines[1] ?? '', /,record\.create,"'=1\+1 ""><img/);
    await dialog.getByText('1 entry was saved.').waitFor();
    await dialog.getByText('JSON Lines, with all details').click();
    const second = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export' }).click();
    const entries = readFileSync(await (await second).path(), 'utf8')
      .trimEnd()
      .split('\n');
    assert.deepEqual(
      entries.map((line) => JSON.parse(line).collection.name),
      [HOSTILE],
    );
    await page.keyboard.press('Escape');
  });

  it('tells who may not see it which right is lacking, and has no link', async () => {
    assert.deepEqual(complaints, []);
    const opened = await scene.openPage(`${server.address}/console/${app.id}/activity`);
    const asked: string[] = [];
    opened.page.on('request', (request) => asked.push(request.url()));
    await signIn(opened.page, hana);
    await opened.page.getByRole('heading', { name: 'The activity log is not yours to see.' }).waitFor();
    await opened.page.getByText('Organization management access').waitFor();
    assert.equal(await opened.page.getByRole('link', { name: 'Activity' }).count(), 0);
    assert.deepEqual(
      asked.filter((url) => url.includes('userActivityLogs')),
      [],
    );
    await opened.page.getByRole('link', { name: 'Your rights' }).click();
    const row = (name: string) => opened.page.locator('.record-value').filter({ hasText: name });
    await row('Not yours').getByText('see and export the activity log').waitFor();
    assert.equal(await row('Not yours').getByText('API access', { exact: true }).count(), 0, 'that is theirs');
  });
});
