// The search box of the console, as a person uses it: by typing, by clicking, and when something is written wrongly.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { seriousFindings } from './axe.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const HOSTILE = '"><img src=x onerror="document.title=1"> =1+1 \u202eabc';

describe('searching in the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let page: Page;
  let complaints: readonly string[];

  before(async () => {
    scene = await openConsoleScene();
    ({ server } = scene);
    const flags = { searchable: true, sortable: true };
    app = await publishApplication(server, {
      collections: [
        {
          name: 'Jobs',
          columns: [
            { name: 'Title', type: 'String', ...flags },
            { name: 'Status', type: 'String', ...flags },
            { name: 'Hours', type: 'Number', ...flags },
            { name: 'Urgent', type: 'Boolean', ...flags },
            { name: 'Due on', type: 'Date', ...flags },
            { name: 'Worker', type: 'User', ...flags },
          ],
        },
      ],
    });
    const person = await app.addPerson('Naomi Sato');
    const { Title = '', Status = '', Hours = '', Urgent = '', Worker = '' } = app.ids.Jobs ?? {};
    const { 'Due on': Due = '' } = app.ids.Jobs ?? {};
    const today = new Date().toISOString().slice(0, 10);
    const json = Array.from({ length: 12 }, (_, i) => ({
      values: {
        [Title]: string(i === 0 ? HOSTILE : `Job ${i}`),
        [Status]: string(i % 3 === 0 ? 'waiting for parts' : i === 1 ? HOSTILE : 'open'),
        [Hours]: number(i),
        [Urgent]: { type: 'Boolean', value: i % 2 === 0 },
        [Due]: { type: 'Date', value: i < 2 ? today : '2020-01-01' },
        ...(i < 5 ? { [Worker]: { type: 'User', id: person.id } } : {}),
      },
    }));
    assert.equal((await app.send('POST', app.records('Jobs'), { json })).status, 200);
    ({ page, complaints } = await scene.openPage(`${server.address}/console/${app.id}`));
    await signIn(page, person);
    await page.getByText('12 records').waitFor();
  });
  after(() => scene.close());

  const box = () => page.getByRole('searchbox');
  const option = (name: string | RegExp) => page.getByRole('option', { name });
  const hits = (count: number) => page.getByText(count === 1 ? '1 hit' : `${count} hits`, { exact: true }).waitFor();
  const searched = () => new URL(page.url()).searchParams.get('search');
  const down = async (times: number) => {
    for (let time = 0; time < times; time += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  };

  it('completes columns, operators and values by the keyboard alone', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('stat');
    await option(/^Status/).waitFor();
    await down(1);
    await option(/^contains/).waitFor();
    assert.equal(await box().inputValue(), 'Status');
    await down(3);
    await option(/^waiting for parts 4 records/).waitFor();
    assert.equal(await box().inputValue(), 'Status!=', 'the third is “is not”');
    await page.keyboard.type('wai');
    await option(/^open/).waitFor({ state: 'detached' });
    await down(1);
    assert.equal(await box().inputValue(), 'Status!="waiting for parts" ');
    await page.keyboard.press('Enter');
    await hits(8);
    assert.equal(searched(), 'Status!="waiting for parts"');
    assert.ok(await page.evaluate('document.activeElement?.type === "search"'), 'the next search can be typed at once');
  });

  it('offers days, people and yes or no by the mouse, also for names with spaces', async () => {
    await box().fill('Due');
    await option(/^Due on/).click();
    await option('is "Due on"=').click();
    await option(/^today/).click();
    assert.equal(await box().inputValue(), '"Due on"=today ');
    await box().pressSequentially('Worker=');
    await option(/^me/).click();
    await box().pressSequentially('Urgent:');
    await option(/^Yes true/).click();
    await page.keyboard.press('Enter');
    await hits(1);
    assert.equal(searched(), '"Due on"=today Worker=me Urgent:true');
    await box().fill('Worker=nao');
    await option(/^Naomi Sato/).click();
    await page.keyboard.press('Enter');
    await hits(5);
  });

  it('takes yes and no as the page shows them, and leaves what was typed when somebody leaves the box', async () => {
    await box().fill('Urgent=no');
    await page.keyboard.press('Enter');
    await hits(6);
    assert.equal(searched(), 'Urgent=false');
    await box().fill('Urgent=perhaps Hours>1');
    await page.getByText('This column is yes or no.').waitFor();
    await box().fill('Urgent=fal');
    await option(/^No false/).waitFor();
    await page.keyboard.press('Escape');
    await option(/^No false/).waitFor({ state: 'detached' });
    assert.ok(await page.evaluate('document.activeElement?.type === "search"'));
    await page.keyboard.press('Escape');
    assert.equal(await box().inputValue(), 'Urgent=fal');
    assert.ok(await page.evaluate('document.activeElement?.classList.contains("grid-keys")'));
  });

  it('is reached by the Tab key from left to right', async () => {
    await page.getByRole('button', { name: /^View/ }).focus();
    const reached: string[] = [];
    for (let step = 0; step < 8; step += 1) {
      await page.keyboard.press('Tab');
      const name = '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent).trim()';
      reached.push(String(await page.evaluate(name)));
    }
    const expected = ['Search', 'How to search', '+ Filter', 'Columns', '+New record'];
    const last = ['More actions', 'Change the filter Urgent is fal', 'Remove the filter Urgent is fal'];
    assert.deepEqual(reached, [...expected, ...last]);
  });

  it('marks what is wrong where it is, while typing and after searching', async () => {
    await box().fill('Colour:red Hours>1');
    await page.getByText('There is no column of this name here.').waitFor();
    assert.equal(await page.locator('.search-marks mark').textContent(), 'Colour');
    await box().fill('Hours:');
    await page.getByText('There is no column of this name here.').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'A value has to follow directly' }).waitFor();
    await box().fill('"Due on">2026-02-30');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'not a day of the calendar' }).waitFor();
    assert.equal(await page.locator('.search-marks mark').textContent(), '2026-02-30');
  });

  it('is the same query as its chips', async () => {
    await box().fill('Status:open (Hours<5 OR Hours>9)');
    await page.keyboard.press('Enter');
    await hits(4);
    const chips = page.getByRole('list', { name: 'Filters' });
    assert.deepEqual(await chips.getByRole('listitem').allInnerTexts(), [
      'Status contains open\n×',
      '(Hours<5 OR Hours>9)\n×',
    ]);
    await chips.getByRole('button', { name: 'Remove the filter (Hours<5 OR Hours>9)' }).click();
    await hits(7);
    assert.equal(await box().inputValue(), 'Status:open');
    await chips.getByRole('button', { name: 'Change the filter Status contains open' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /Condition/ }).click();
    await option('does not contain').click();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await hits(5);
    assert.equal(await box().inputValue(), '-Status:open');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await dialog.getByRole('button', { name: /Column/ }).click();
    await option('Hours').click();
    await dialog.getByRole('button', { name: /Condition/ }).click();
    await option('is at least').click();
    await dialog.getByRole('textbox', { name: 'Value' }).fill('1,000');
    await dialog.getByRole('textbox', { name: 'Value' }).fill('6');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await hits(2);
    assert.equal(searched(), '-Status:open Hours>=6');
    await page.goBack();
    await hits(5);
    assert.equal(await box().inputValue(), '-Status:open');
  });

  it('has an editor for a value of each type', async () => {
    const dialog = page.getByRole('dialog');
    await box().fill('');
    await page.keyboard.press('Enter');
    await page.getByText('12 records').waitFor();
    const add = async (column: string) => {
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await dialog.getByRole('button', { name: /Column/ }).click();
      await option(column).click();
      await page.getByRole('listbox').waitFor({ state: 'detached' });
    };
    const apply = () => dialog.getByRole('button', { name: 'Apply' }).click();
    await add('Urgent');
    await dialog.getByText('No', { exact: true }).click();
    await apply();
    await hits(6);
    await add('Due on');
    await dialog.getByRole('button', { name: /When/ }).click();
    await option('this year').click();
    await dialog.getByText(/^The search says \d{4}\. A link or a saved view stays at these days\.$/).waitFor();
    await dialog.getByRole('button', { name: /When/ }).click();
    await option('in the last 7 days').click();
    await apply();
    await hits(1);
    await page.getByRole('button', { name: 'Change the filter Due on is in the last 7 days' }).waitFor();
    await add('Worker');
    await dialog.getByRole('combobox', { name: 'Value' }).fill('nao');
    await option('Naomi Sato').click();
    await apply();
    await hits(1);
    await add('Created by');
    await dialog.getByRole('combobox', { name: 'Value' }).fill('someone "else"');
    await page.keyboard.press('Escape');
    await apply();
    await page.getByText('No record matches this search.').waitFor();
    const span = '"Due on">=today-6d "Due on"<=today';
    assert.equal(searched(), `Urgent=false ${span} Worker:"Naomi Sato" $createdBy:"someone \\"else\\""`);
  });

  it('remembers searches for the person, until they are forgotten', async () => {
    await page.reload();
    await page.getByText('No record matches this search.').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.getByText('12 records').waitFor();
    await box().press('ArrowDown');
    await option(/^Status:open \(Hours<5 OR Hours>9\)/).click();
    await hits(4);
    await box().fill('');
    await option(/^-Status:open Hours/).waitFor();
    await page.getByRole('button', { name: 'Forget the searches of this collection' }).click();
    await option(/^-Status:open Hours/).waitFor({ state: 'detached' });
    await option(/^Title/).waitFor();
    assert.equal(await page.evaluate('Object.keys(localStorage).some((name) => name.includes("searches"))'), false);
    await page.keyboard.press('Escape');
  });

  it('explains the language by the columns of the collection, and runs an example', async () => {
    await page.getByRole('button', { name: 'How to search' }).click();
    await page.getByRole('dialog', { name: 'How to search in Jobs' }).waitFor();
    await page.getByRole('button', { name: '"Due on">=today-6d "Due on"<=today' }).click();
    await hits(2);
    assert.equal(searched(), '"Due on">=today-6d "Due on"<=today');
    const chip = page.getByRole('list').getByRole('button').first();
    assert.equal(await chip.innerText(), 'Due on is in the last 7 days');
    await page.evaluate('localStorage.setItem("cartulary.language", "ja")');
    await page.reload();
    const japanese = page.getByRole('button', { name: '条件「Due on が「過去 7 日間」に一致」を変更' });
    assert.equal(await japanese.innerText(), 'Due on が「過去 7 日間」に一致');
    await page.evaluate('localStorage.removeItem("cartulary.language")');
    await page.reload();
    await hits(2);
  });

  it('shows whatever records hold as text, in suggestions and chips', async () => {
    await box().fill('Status=');
    await option(/onerror/).click();
    await page.keyboard.press('Enter');
    await hits(1);
    assert.equal(await page.locator('main img').count(), 0);
    await page.getByRole('button', { name: /^Change the filter Status is ">/ }).waitFor();
  });

  it('can be used by everybody: axe finds nothing serious with lists, chips and help open', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await box().fill('');
      await box().fill('Colour:x Status=open Title:');
      await option(/^Job/).first().waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /Column/ })
        .waitFor();
      assert.deepEqual(await seriousFindings(page, '[role=dialog]'), []);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'How to search' }).click();
      await page.getByRole('dialog', { name: 'How to search in Jobs' }).waitFor();
      assert.deepEqual(await seriousFindings(page, '[role=dialog]'), []);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    assert.deepEqual(complaints, []);
  });
});
