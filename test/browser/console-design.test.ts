// A definition designed in the browser: from nothing by keyboard, from a template, from a file up to its imported rows,
// and from what is published, with what would be lost.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { OPERATOR_KEY, type TestServer } from '../support/server.ts';
import { assertUsable } from './axe.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene } from './console-scene.ts';

const HOSTILE = '"><img src=x onerror="document.title=1">javascript:';

/** The texts of the diagram that lie over another text or leave their collection. */
const OVERLAPPING = `(() => {
  const texts = [...document.querySelectorAll('.design-canvas svg text')].map((text) => [text, text.getBoundingClientRect()]);
  const over = (one, other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  if (texts.length === 0) return ['no texts'];
  return texts.filter(([text, box]) => {
    const room = text.closest('.design-node')?.querySelector('rect').getBoundingClientRect();
    return room === undefined || box.right > room.right || box.bottom > room.bottom ||
      texts.some(([other, its]) => other !== text && over(box, its));
  }).map(([text]) => text.textContent);
})()`;

describe('designing a definition in the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let page: Page;
  let complaints: readonly string[];

  before(async () => {
    scene = await openConsoleScene();
    ({ server } = scene);
    ({ page, complaints } = await scene.openPage(`${server.address}/console/design`));
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('heading', { name: 'Design an application' }).waitFor();
  });
  after(() => scene.close());

  const start = () => page.goto(`${server.address}/console/design`);
  const columns = () => page.getByRole('grid', { name: /^Columns of/ });
  const names = async () => await columns().locator('.design-item-name').allInnerTexts();
  const part = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  const nameField = () => page.getByRole('textbox', { name: 'Name', exact: true });
  const chooseFile = async (name: string, content: string) => {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a file' }).click();
    await (await chooser).setFiles({ name, mimeType: '', buffer: Buffer.from(content) });
  };
  const downloaded = async () => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download JSON' }).click();
    return JSON.parse(await readFile(await (await download).path(), 'utf8')) as Record<string, unknown>;
  };

  it('from nothing, by keyboard, with what is wrong said at the field', async () => {
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByRole('button', { name: 'Add a collection' }).press('Enter');
    await page.keyboard.type('Sites');
    for (const name of ['Title', 'City', 'Opened']) {
      await page.keyboard.press('Enter');
      await page.getByText('In the interface: String').waitFor();
      await page.keyboard.type(name);
    }
    assert.deepEqual(await names(), ['Title', 'City', 'Opened']);
    await nameField().fill('City');
    await page.getByText('2 columns of the collection have this name.').waitFor();
    await page.getByText('2 problems').waitFor();
    await nameField().fill('');
    await page.getByText('This must not be empty.').waitFor();
    await nameField().fill('Opened');
    await page.getByText('No problems').waitFor();
    await columns().getByRole('row', { name: 'Opened' }).click();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    assert.deepEqual(await names(), ['Opened', 'Title', 'City']);
    await page.keyboard.press('Control+z');
    assert.deepEqual(await names(), ['Title', 'Opened', 'City']);
    await page.keyboard.press('Control+y');
    assert.deepEqual(await names(), ['Opened', 'Title', 'City']);
    await page.getByRole('button', { name: /^Text Type/ }).click();
    await page.getByRole('option', { name: 'Date', exact: true }).click();
    await page.getByText('In the interface: Date', { exact: true }).waitFor();
    await page.reload();
    await columns().waitFor();
    assert.deepEqual(await names(), ['Opened', 'Title', 'City']);
    const { collections } = await downloaded();
    assert.deepEqual(collections, [
      {
        name: 'Sites',
        readAccessType: 'everyone',
        writeAccessType: 'everyone',
        columns: [
          { name: 'Opened', type: 'Date' },
          { name: 'Title', type: 'String' },
          { name: 'City', type: 'String' },
        ],
      },
    ]);
  });

  it('from a template, whose references are drawn and follow names', async () => {
    await start();
    await page.getByRole('button', { name: 'Use Inventory' }).click();
    await part('Diagram');
    await page.getByRole('link', { name: 'Movements · Product refers to Products' }).waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await page.evaluate(OVERLAPPING), [], `no text lies over another at ${width} pixels`);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('button', { name: /^Products, 9 columns/ }).press('Enter');
    await page.getByRole('heading', { name: 'Columns of Products' }).waitFor();
    await columns().getByRole('row', { name: 'Product code' }).click();
    await nameField().fill('SKU');
    await part('Application');
    await page.getByRole('checkbox', { name: /^Teams/ }).press('Space');
    await page.getByText('Name at least one team: every user needs one.').waitFor();
    await page.getByRole('textbox', { name: 'Team names' }).fill('Tokyo\n\nTokyo');
    await page.getByText('Line 3: This stands there twice.').waitFor();
    await page.getByRole('textbox', { name: 'Team names' }).fill('Tokyo\nOsaka\n');
    await page.getByText('No problems').waitFor();
    const document = (await downloaded()) as {
      teams: string[];
      collections: { columns: { scheme?: Record<string, unknown> }[] }[];
    };
    assert.deepEqual(document.teams, ['Tokyo', 'Osaka']);
    assert.deepEqual(document.collections[3]?.columns[0]?.scheme, { collection: 'Products', column: 'SKU' });
  });

  it('from a file, published and filled with its rows', async () => {
    await start();
    const rows = [`Code,${HOSTILE.replaceAll('"', '').replaceAll(',', '')},Price,Built,Paid`];
    rows.push('A1,=1+1,10.5,2026-01-31,yes', 'A2,two,7,2026-02-01,no');
    await chooseFile('Bikes.csv', rows.join('\n'));
    await columns().waitFor();
    const types = await columns().locator('.design-item-beside').allInnerTexts();
    assert.deepEqual(types, ['Text', 'Text', 'Number', 'Date', 'Yes or no']);
    assert.equal(await page.locator('img[src=x]').count(), 0);
    await part('Publish');
    await page.getByLabel('Operator key').fill(OPERATOR_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Show what would change' }).click();
    await page.getByText('Collection "Bikes" is added with 5 columns.').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Bikes is published at version 1.').waitFor();
    await page.getByRole('button', { name: 'Create the first user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Ada');
    await dialog.getByLabel('E-mail address').fill('ada@example.com');
    await dialog.getByLabel('Password').fill('Secret-Passw0rd');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign in as Ada and import Bikes.csv' }).click();
    await page.getByText('Bikes.csv').first().waitFor();
    await page.getByRole('button', { name: /^Import/ }).click();
    await page
      .getByText(/2 records/)
      .first()
      .waitFor();
  });

  it('from what is published, and says what would be lost', async () => {
    await start();
    await page.getByRole('button', { name: /Application$/ }).click();
    await page.getByRole('option', { name: 'Bikes' }).click();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await columns().getByRole('row', { name: 'Price' }).click();
    await page.keyboard.press('Delete');
    await part('Publish');
    await page.getByRole('button', { name: 'Show what would change' }).click();
    await page.getByText('2 records lose data').waitFor();
    const publish = page.getByRole('button', { name: 'Publish and lose this data' });
    assert.equal(await publish.isDisabled(), true);
    await page.getByLabel(/^To agree, type the name/).fill('Bikes');
    await publish.click();
    await page.getByText('Bikes is published at version 2.').waitFor();
  });

  it('a file with 10,000 columns stays quick, and says that they are too many', async () => {
    await start();
    const header = Array.from({ length: 10_000 }, (_, index) => `Column ${index}`).join(',');
    await chooseFile('Wide.csv', `${header}\n1,2,3`);
    await columns().getByText('Column 0', { exact: true }).waitFor();
    await page.getByText('At most 200; there are 10,000.').waitFor();
    assert.ok((await page.getByRole('row').count()) < 100);
    await page
      .getByRole('textbox', { name: 'Find a column' })
      .or(page.getByLabel('Find a column'))
      .first()
      .fill('9999');
    await columns().getByText('Column 9999').click();
    await nameField().fill('Renamed');
    assert.equal(await nameField().inputValue(), 'Renamed');
  });

  it('a file that is no publish document is refused with the reasons', async () => {
    await start();
    await chooseFile('wrong.json', JSON.stringify({ name: 1, extra: HOSTILE }));
    await page.getByText('The file is not a publish document:').waitFor();
    await page.getByText('/collections', { exact: true }).waitFor();
    assert.equal(await page.locator('img[src=x]').count(), 0);
  });

  it('is accessible in both themes and languages', async () => {
    const lookAt = async (shown: string) => {
      await page.locator(shown).first().waitFor();
      await assertUsable(page, shown);
    };
    await start();
    await lookAt('.design-templates');
    await page.getByRole('link', { name: 'Inventory' }).click();
    await columns().waitFor();
    await page.getByRole('row', { name: 'Movements' }).click();
    await columns().getByRole('row', { name: 'Product' }).click();
    await nameField().fill('');
    await lookAt('.design-mark');
    for (const [name, shown] of [
      ['Diagram', '.design-node'],
      ['Application', '.design-settings'],
    ] as const) {
      await part(name);
      await lookAt(shown);
    }
    assert.deepEqual(complaints, []);
  });
});
