// Typing in the grid as it must not go wrong: with an input method, while scrolling, and in a list whose order changes.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

describe('typing in the grid', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let app: TestApplication;
  let page: Page;
  let complaints: readonly string[];
  const ids: string[] = [];

  before(async () => {
    scene = await openConsoleScene();
    app = await publishApplication(scene.server, {
      collections: [
        {
          name: 'Visits',
          columns: [
            { name: 'Title', type: 'String', sortable: true, searchable: true },
            { name: 'Rank', type: 'Number' },
          ],
        },
      ],
    });
    for (let index = 0; index < 60; index += 1) {
      const values = { [column('Title')]: string(`Visit ${index}`), [column('Rank')]: number(index) };
      ids.unshift((await app.send('POST', app.records('Visits'), { json: { values } })).body.id);
    }
    const person = await app.addPerson('Some Person');
    ({ page, complaints } = await scene.openPage(`${scene.server.address}/console/${app.id}`));
    await signIn(page, person);
    await cell(0, 0).filter({ hasText: 'Visit 59' }).waitFor();
    // The editors are loaded after the rows.
    await page.waitForLoadState('networkidle');
  });
  after(() => scene.close());

  const column = (name: string): string => app.ids.Visits?.[name] ?? '';
  const cell = (row: number, index: number) => page.locator(`#cell-${row}-${index}`);
  const value = async (row: number, name: string) =>
    (await app.send('GET', `${app.records('Visits')}/${ids[row]}`)).body.values[column(name)];
  const stored = () => page.locator('.grid-cell-mark').first().waitFor({ state: 'detached' });

  it('begins the composition of an input method with the first key', async () => {
    await page.getByRole('grid').focus();
    const input = await page.context().newCDPSession(page);
    await input.send('Input.imeSetComposition', { text: 'k', selectionStart: 1, selectionEnd: 1 });
    await input.send('Input.imeSetComposition', { text: 'かんさ', selectionStart: 3, selectionEnd: 3 });
    await page.locator('.grid-keys.composing').waitFor();
    await input.send('Input.insertText', { text: '監査' });
    assert.equal(await page.getByLabel('Title', { exact: true }).inputValue(), '監査');
    await page.keyboard.press('Enter');
    await stored();
    assert.deepEqual(await value(0, 'Title'), string('監査'));
  });

  it('leaves the rows where they are until the list is read again', async () => {
    await cell(3, 1).click();
    await page.keyboard.type('77');
    await page.keyboard.press('Enter');
    await stored();
    await page.getByText('Rows that you changed stay where they are until you refresh.').waitFor();
    // As a person who looks at another window and comes back.
    await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
    await page.waitForLoadState('networkidle');
    await cell(3, 1).filter({ hasText: '77' }).waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await cell(0, 1).filter({ hasText: '77' }).waitFor();
    assert.equal(await page.getByText(/until you refresh/).count(), 0);
    ids.unshift(...ids.splice(3, 1));
  });

  it('keeps what is typed in a cell that is scrolled away', async () => {
    await cell(2, 1).dblclick();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('12.');
    await page.locator('.grid-scroller').evaluate((element) => element.scrollTo(0, 1_500));
    await cell(45, 0).waitFor();
    await page.keyboard.type('5');
    assert.equal(await page.getByLabel('Rank', { exact: true }).inputValue(), '12.5');
    await page.locator('.grid-scroller').evaluate((element) => element.scrollTo(0, 0));
    await page.keyboard.press('Enter');
    await stored();
    assert.deepEqual(await value(2, 'Rank'), number(12.5));
    assert.deepEqual(complaints, []);
  });
});
