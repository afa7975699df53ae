// The columns of the grid: chosen, ordered, sized and frozen by mouse and keyboard, kept in the browser or in a view, and
// windowed where there are many.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { seriousFindings } from './axe.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const WIDE = 200;
const HOSTILE = '"><img src=x onerror="document.title=1">';
const METADATA = ['Updated', 'Updated by', 'Created', 'Created by'];

describe('columns in the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let page: Page;
  let complaints: readonly string[];

  before(async () => {
    scene = await openConsoleScene();
    ({ server } = scene);
    app = await publishApplication(server, {
      collections: [
        {
          name: 'Visits',
          columns: ['Title', 'Code', HOSTILE].map((name) => ({ name, type: 'String', sortable: true })),
        },
        {
          name: 'Named',
          columns: [{ name: 'Passed the inspection', type: 'Boolean', sortable: true }],
        },
        {
          name: 'Wide',
          columns: Array.from({ length: WIDE }, (_, index) => ({ name: `Column ${index}`, type: 'String' })),
        },
      ],
    });
    for (const [name, column] of [
      ['Visits', 'Title'],
      ['Wide', `Column ${WIDE - 1}`],
    ] as const) {
      const json = Array.from({ length: 40 }, (_, i) => ({
        values: { [app.ids[name]?.[column] ?? '']: string(`Record ${i}`) },
      }));
      assert.equal((await app.send('POST', app.records(name), { json })).status, 200);
    }
    ({ page, complaints } = await scene.openPage(`${server.address}/console/${app.id}`));
    await signIn(page, await app.addPerson('Person'));
    await page.getByText('40 records').waitFor();
  });
  after(() => scene.close());

  const heads = () => page.getByRole('columnheader').locator('.grid-sort > span:first-child').allInnerTexts();
  const menuOf = async (column: string, action: string) => {
    await page.getByRole('columnheader', { name: column }).first().hover();
    await page.getByRole('button', { name: `Menu of ${column}`, exact: true }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  const list = async () => {
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByRole('dialog', { name: 'Columns' }).getByRole('grid').waitFor();
  };
  const item = (name: string) => page.getByRole('dialog').getByRole('row', { name, exact: true });
  const close = async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Columns' }).waitFor({ state: 'hidden' });
  };
  const widthOf = (column: string) =>
    page
      .getByRole('separator', { name: `Width of ${column}` })
      .getAttribute('aria-valuenow')
      .then(Number);

  it('are wide enough for their names', async () => {
    const values = { [app.ids.Named!['Passed the inspection']!]: { type: 'Boolean', value: true } };
    assert.equal((await app.send('POST', app.records('Named'), { json: { values } })).status, 200);
    await page.getByRole('link', { name: 'Named' }).click();
    await page.getByText('1 record', { exact: true }).waitFor();
    const cut = '.grid-sort > span:first-child';
    const names = await page
      .locator(cut)
      .evaluateAll((spans) =>
        spans.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
      );
    assert.deepEqual(names, []);
    await page.getByRole('link', { name: 'Visits' }).click();
    await page.getByText('40 records').waitFor();
  });

  it('are moved and hidden from their heads, and stay so after a reload', async () => {
    assert.deepEqual(await heads(), ['Title', 'Code', HOSTILE, ...METADATA]);
    await menuOf('Code', 'Move left');
    await menuOf('Updated by', 'Hide');
    await page.getByRole('button', { name: 'Columns, 1 hidden' }).waitFor();
    const expected = ['Code', 'Title', HOSTILE, 'Updated', 'Created', 'Created by'];
    assert.deepEqual(await heads(), expected);
    await page.reload();
    await page.getByText('40 records').waitFor();
    assert.deepEqual(await heads(), expected);
  });

  it('are chosen in a list, found by name, and ordered there by keyboard and by mouse', async () => {
    await list();
    await page.keyboard.type('created');
    await item('Created by').click();
    await item('Title').waitFor({ state: 'hidden' });
    await page.getByRole('searchbox', { name: 'Find a column' }).fill('');
    await item('Code').waitFor();
    // With the keyboard: to the first row, to its handle, taken up, put down one place further.
    for (const key of ['Tab', 'Home', 'ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Insert between Code and Title' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page
      .getByRole('button', { name: /^Insert/ })
      .first()
      .waitFor({ state: 'hidden' });
    await close();
    assert.deepEqual((await heads()).slice(0, 2), ['Title', 'Code']);
    await list();
    await item('Code').dragTo(item('Title'), { targetPosition: { x: 40, y: 2 } });
    await close();
    assert.deepEqual(await heads(), ['Code', 'Title', HOSTILE, 'Updated', 'Created']);
    await list();
    await page.getByRole('button', { name: 'Back to the collection’s order' }).click();
    await close();
    assert.deepEqual(await heads(), ['Title', 'Code', HOSTILE, ...METADATA]);
  });

  it('are sized by mouse and by keyboard', async () => {
    const before = await widthOf('Code');
    const handle = page.getByRole('separator', { name: 'Width of Code' });
    const box = (await handle.boundingBox())!;
    await page.mouse.move(box.x + 4, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 84, box.y + 10, { steps: 4 });
    await page.mouse.up();
    assert.equal(await widthOf('Code'), before + 80);
    // From the grid the Tab key leads to the head of the active column.
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowRight');
    for (let tab = 0; tab < 6 && (await handle.and(page.locator(':focus')).count()) === 0; tab += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await widthOf('Code'), before + 64);
    await handle.dblclick();
    assert.equal(await widthOf('Code'), before);
  });

  it('stay while the others scroll, as many as are frozen', async () => {
    await menuOf('Code', 'Freeze up to here');
    await page.setViewportSize({ width: 900, height: 700 });
    const left = async (name: string) => (await page.getByRole('columnheader', { name }).first().boundingBox())?.x;
    const [title, code] = [await left('Title'), await left('Code')];
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.getByRole('columnheader', { name: 'Created by' }).waitFor();
    assert.deepEqual([await left('Title'), await left('Code')], [title, code]);
    await page.keyboard.press('Home');
    await page.setViewportSize({ width: 1200, height: 900 });
  });

  it('belong to a saved view', async () => {
    await menuOf('Created', 'Hide');
    await page.getByRole('button', { name: /^View: / }).click();
    await page.getByRole('menuitem', { name: 'Save as a new view…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'View: Mine', exact: true }).waitFor();
    await menuOf('Updated', 'Hide');
    await page.getByRole('button', { name: 'View: Mine, changed' }).click();
    await page.getByRole('menuitem', { name: 'Back to what is saved' }).click();
    await page.getByRole('button', { name: 'View: Mine', exact: true }).waitFor();
    assert.deepEqual(await heads(), ['Title', 'Code', HOSTILE, 'Updated', 'Updated by', 'Created by']);
  });

  it('are only those in sight where there are many', async () => {
    await page.goto(`${server.address}/console/${app.id}/${app.ids.Wide!.id}`);
    await page.getByRole('columnheader', { name: 'Column 0' }).waitFor();
    assert.ok((await page.getByRole('columnheader').count()) < 20);
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    for (let back = 0; back < METADATA.length; back += 1) await page.keyboard.press('ArrowLeft');
    await page.getByRole('gridcell', { name: 'Record 39', exact: true }).waitFor();
    assert.ok((await page.getByRole('gridcell').count()) < 800);
    await list();
    assert.ok((await page.getByRole('dialog').getByRole('row').count()) < 60, 'the list is windowed too');
    await page.getByRole('button', { name: 'Hide all' }).click();
    await page.getByRole('searchbox', { name: 'Find a column' }).fill(`column ${WIDE - 1}`);
    await item(`Column ${WIDE - 1}`).click();
    await close();
    assert.deepEqual(await heads(), ['Column 0', `Column ${WIDE - 1}`]);
  });

  it('can be used by everybody: axe finds nothing serious in list and menu', async () => {
    for (const [colorScheme, language] of [
      ['dark', 'en'],
      ['light', 'ja'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(`localStorage.setItem('cartulary.language', '${language}')`);
      await page.reload();
      await page.getByRole('button', { name: /^(Columns|列)/ }).click();
      await page.getByRole('dialog').getByRole('grid').waitFor();
      assert.deepEqual(await seriousFindings(page, '[role=dialog]'), [], colorScheme);
      await page.keyboard.press('Escape');
    }
    assert.equal(await page.title(), 'Wide – Test');
    assert.deepEqual(complaints, []);
  });
});
