// Cells edited in the grid, as a person does it with the keyboard: typed, cleared, undone, refused, in conflict, offline.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { number, type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { seriousFindings } from './axe.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const HOSTILE = '"><img src=x onerror="document.title=1">=1+1';

describe('cells of the grid', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let page: Page;
  let complaints: readonly string[];
  let person: Person;
  let ids: readonly string[] = [];

  before(async () => {
    scene = await openConsoleScene();
    ({ server } = scene);
    app = await publishApplication(server, {
      collections: [
        {
          name: 'Visits',
          columns: [
            { name: 'Title', type: 'String', sortable: true },
            { name: 'Code', type: 'String', unique: true, searchable: true },
            { name: 'Rank', type: 'Number' },
            { name: 'Passed', type: 'Boolean' },
            { name: 'Day', type: 'Date' },
            { name: 'Inspector', type: 'User' },
            { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Name' } },
            { name: 'Place', type: 'Location' },
          ],
        },
        { name: 'Sites', columns: [{ name: 'Name', type: 'String', searchable: true }] },
        { name: 'Owned', writeAccessType: 'creatorOnly', columns: [{ name: 'Title', type: 'String' }] },
      ],
    });
    person = await app.addPerson('Some Person');
    for (const name of ['North gate', 'South gate']) {
      await app.send('POST', app.records('Sites'), { json: { values: { [app.ids.Sites!.Name!]: string(name) } } });
    }
    await app.send('POST', app.records('Owned'), { json: { values: { [app.ids.Owned!.Title!]: string('Theirs') } } });
    const opened = await scene.openPage(`${server.address}/console/${app.id}`);
    ({ page, complaints } = opened);
    await signIn(page, person);
    await page.getByText('There are no records in Visits yet.').waitFor();
  });
  after(() => scene.close());

  /** Three records, A to C, and the grid with the first cell active. */
  beforeEach(async () => {
    await app.send('DELETE', app.records('Visits'));
    const json = ['A', 'B', 'C'].map((title, index) => ({
      values: {
        [column('Title')]: string(title),
        [column('Code')]: string(`c${title}`),
        [column('Rank')]: number(index),
      },
    }));
    ids = (await app.send('POST', app.records('Visits'), { json })).body.map(({ id }: { id: string }) => id);
    await openGrid();
  });

  async function openGrid(): Promise<void> {
    await page.goto(`${server.address}/console/${app.id}/${app.ids.Visits!.id}?sort=${column('Title')}`);
    await page.getByRole('gridcell', { name: 'A', exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.getByRole('grid').focus();
  }
  const column = (name: string): string => app.ids.Visits?.[name] ?? '';
  const read = async (row: number) => (await app.send('GET', `${app.records('Visits')}/${ids[row]}`)).body.values;
  const value = async (row: number, name: string) => (await read(row))[column(name)];
  const change = async (row: number, name: string, to: object) => {
    const json = { replace: false, values: { [column(name)]: to } };
    assert.equal((await app.send('PUT', `${app.records('Visits')}/${ids[row]}`, { json })).status, 200);
  };
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const cell = (row: number, name: string) => page.locator(`#cell-${row}-${NAMES.indexOf(name)}`);
  const NAMES = ['Title', 'Code', 'Rank', 'Passed', 'Day', 'Inspector', 'Site', 'Place', 'Updated'];
  const stored = async () => {
    await page.locator('.grid-cell-mark').first().waitFor({ state: 'detached' });
  };
  const showsIn = (row: number, name: string, text: string | RegExp) =>
    cell(row, name).filter({ hasText: text }).waitFor();

  it('end a long text with an ellipsis inside of the cell, and have the whole of it where the keys are', async () => {
    const long = `B ${'word '.repeat(50)}end`;
    await change(1, 'Title', string(long));
    await openGrid();
    const text = cell(1, 'Title').locator('span').first();
    await text.filter({ hasText: 'word' }).waitFor();
    assert.ok(((await text.textContent()) ?? '').length < long.length / 2, 'what is out of sight is not drawn');
    const right = async (part: Locator) => (await part.boundingBox().then((box) => box && box.x + box.width)) ?? 0;
    assert.ok(
      (await right(cell(1, 'Title').locator('> *').first())) < (await right(cell(1, 'Title'))),
      'the text ends before the edge of its cell',
    );
    await press('ArrowDown');
    await until('the whole text', async () => (await text.textContent()) === long);
  });

  it('are typed over, and Enter stores and goes down, Tab to the right', async () => {
    await press('ArrowRight', 'ArrowRight');
    await page.keyboard.type('12.5');
    await press('Enter');
    await page.keyboard.type('7');
    await press('Tab', 'Space');
    await stored();
    await showsIn(0, 'Rank', '12.5');
    assert.deepEqual([await value(0, 'Rank'), await value(1, 'Rank')], [number(12.5), number(7)]);
    await cell(1, 'Passed').getByRole('img', { name: 'Yes' }).waitFor();
    await press('Space');
    await cell(1, 'Passed').getByRole('img', { name: 'No' }).waitFor();
    await stored();
    assert.deepEqual(await value(1, 'Passed'), { type: 'Boolean', value: false });
  });

  it('are typed over while what else the page needs for editing is on its way', async () => {
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route(/\/assets\/(EditorInPopover|CellNote|PasteDialogs)/, async (route) => {
      await arrived;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('gridcell', { name: 'A', exact: true }).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.type('First');
    await press('Enter');
    await stored();
    assert.deepEqual(await value(0, 'Title'), string('First'));
    arrive();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('are opened by F2 and double click, and Escape leaves the value as it was', async () => {
    await press('F2');
    await page.keyboard.type(' more');
    await press('Shift+Enter');
    await page.keyboard.type('lines');
    await press('Enter');
    await stored();
    assert.deepEqual(await value(0, 'Title'), string('A more\nlines'));
    await cell(2, 'Code').dblclick();
    await page.keyboard.type('x');
    // A double click in the editor selects a word, and nothing that was typed is lost.
    await page.getByLabel('Code', { exact: true }).dblclick();
    assert.equal(await page.getByLabel('Code', { exact: true }).inputValue(), 'cCx');
    await press('Escape');
    await showsIn(2, 'Code', 'cC');
    await press('Delete');
    await stored();
    assert.equal(await value(2, 'Code'), undefined);
    await cell(0, 'Day').dblclick();
    await page.getByLabel('Day', { exact: true }).fill('2026-11-16');
    await press('Enter');
    await stored();
    assert.deepEqual(await value(0, 'Day'), { type: 'Date', value: '2026-11-16' });
  });

  it('with people, references and places have their editor in a popover', async () => {
    await cell(0, 'Inspector').click();
    await page.keyboard.type('Some');
    await page.getByRole('option', { name: 'Some Person' }).waitFor();
    await press('ArrowDown', 'Enter');
    await showsIn(0, 'Inspector', 'Some Person');
    await press('ArrowRight', 'Enter');
    await page.getByRole('combobox', { name: 'Site' }).fill('South');
    await page.getByRole('option', { name: 'South gate' }).click();
    await showsIn(0, 'Site', 'South gate');
    await press('ArrowRight', 'Enter');
    await page.getByLabel('Latitude').fill('35.5');
    await page.getByLabel('Longitude').fill('139.75');
    await press('Enter');
    await stored();
    const values = await read(0);
    assert.equal(values[column('Inspector')].name, 'Some Person');
    assert.deepEqual(values[column('Site')].value, string('South gate'));
    assert.deepEqual(values[column('Place')], { type: 'Location', latitude: 35.5, longitude: 139.75 });
  });

  it('are undone and redone, and not over the change of somebody else', async () => {
    await page.keyboard.type('Changed');
    await press('Enter');
    await stored();
    await press('Control+z');
    await showsIn(0, 'Title', /^A$/);
    await stored();
    assert.deepEqual(await value(0, 'Title'), string('A'));
    await press('Control+Shift+z');
    await showsIn(0, 'Title', 'Changed');
    await stored();
    await change(0, 'Title', string('Theirs'));
    await press('Control+z');
    await page.getByText('1 cell was not brought back').waitFor();
    await showsIn(0, 'Title', 'Theirs');
    assert.deepEqual(await value(0, 'Title'), string('Theirs'));
  });

  it('that are refused show why, and what was typed is taken up again', async () => {
    await press('ArrowRight');
    await page.keyboard.type('cB');
    await press('Enter');
    await page.getByText('1 value was refused.').waitFor();
    await showsIn(0, 'Code', 'cA');
    assert.equal(await cell(0, 'Code').getAttribute('aria-invalid'), 'true');
    await press('ArrowUp');
    await page.getByText('Another record has this value').waitFor();
    await press('Enter');
    assert.equal(await page.getByLabel('Code', { exact: true }).inputValue(), 'cB');
    await page.keyboard.type('2');
    await press('Enter');
    await stored();
    assert.deepEqual(await value(0, 'Code'), string('cB2'));
  });

  it('that somebody else has changed show both values, and the person decides', async () => {
    await change(0, 'Title', string('Theirs'));
    await change(1, 'Rank', number(99));
    await page.keyboard.type('Mine');
    await press('Enter');
    await page.getByText('1 cell was changed by somebody else meanwhile.').waitFor();
    // Another column of the record was changed: nothing is overwritten.
    await page.keyboard.type('B2');
    await press('Enter');
    await showsIn(1, 'Rank', '99');
    await until('the title is stored', async () => (await value(1, 'Title')).value === 'B2');
    assert.deepEqual(await value(1, 'Rank'), number(99));
    assert.deepEqual(await value(0, 'Title'), string('Theirs'));
    await press('ArrowUp', 'ArrowUp');
    await page.locator('.grid-note').getByText('Theirs', { exact: true }).waitFor();
    await page.locator('.grid-note').getByText('Mine', { exact: true }).waitFor();
    await press('Enter', 'Tab', 'Enter');
    await stored();
    assert.deepEqual(await value(0, 'Title'), string('Mine'));
  });

  it('survive a lost connection and a reload', async () => {
    await page.context().setOffline(true);
    await page.keyboard.type(HOSTILE);
    await press('Enter');
    await page.getByText('1 change is not stored.').waitFor();
    await showsIn(0, 'Title', HOSTILE);
    await page.context().setOffline(false);
    await page.waitForLoadState('networkidle');
    await stored();
    assert.deepEqual(await value(0, 'Title'), string(HOSTILE));
    await page.route('**/records/**', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await page.getByRole('grid').focus();
    await page.keyboard.type('Kept');
    await press('Enter');
    await page.getByText('1 change is not stored.').waitFor();
    await page.reload();
    await page.getByText('1 change is not stored.').waitFor();
    await page.unroute('**/records/**');
    await page.getByRole('gridcell', { name: /Kept/ }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await stored();
    assert.deepEqual(await value(1, 'Title'), string('Kept'));
  });

  it('wait for their author whose session was ended elsewhere', async () => {
    await openGrid();
    await page.context().clearCookies();
    await press('ArrowRight', 'ArrowRight');
    await page.keyboard.type('41');
    await press('Enter');
    await page.getByText('You are signed out.').waitFor();
    await signIn(page, person);
    await showsIn(0, 'Rank', '41');
    await page.getByRole('button', { name: 'Try again' }).click();
    await stored();
    assert.deepEqual(await value(0, 'Rank'), number(41));
  });

  it('that cannot be edited say so, and Ctrl-Enter opens the record', async () => {
    await press('End', 'Enter');
    await page.getByText('Created by is set by the server and cannot be edited.').waitFor();
    assert.equal(await cell(0, 'Updated').getAttribute('aria-readonly'), 'true');
    assert.equal(await cell(0, 'Title').getAttribute('aria-readonly'), null);
    await press('Control+Enter');
    await page.getByRole('heading', { name: 'A', exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('grid').focus();
    await press('Home', 'ArrowDown', 'Space');
    await page.getByRole('heading', { name: 'B', exact: true }).waitFor();
    await page.goBack();
    await cell(2, 'Title').hover();
    await cell(2, 'Title').getByTitle('Open the record (Space)').click();
    await page.getByRole('heading', { name: 'C', exact: true }).waitFor();
    await page.goBack();
    // Above the letters and left of them: whoever points at a text does not aim at its letters.
    await cell(1, 'Title').click({ position: { x: 14, y: 3 } });
    await page.getByRole('heading', { name: 'B', exact: true }).waitFor();
    await page.goBack();
    await cell(1, 'Title').click({ position: { x: 3, y: 30 } });
    await page.getByRole('heading', { name: 'B', exact: true }).waitFor();
    await page.goBack();
    const { width = 0 } = (await cell(1, 'Title').boundingBox()) ?? {};
    await cell(1, 'Title').click({ position: { x: width / 2, y: 18 } });
    await page.locator('#cell-1-0.active').waitFor();
    assert.match(new URL(page.url()).pathname, /\/t[a-z0-9]{7}$/, 'the rest of the cell selects it');
    await page.goto(`${server.address}/console/${app.id}/${app.ids.Owned!.id}`);
    await page.getByRole('gridcell', { name: 'Theirs' }).waitFor();
    await page.getByRole('grid').focus();
    await press('F2');
    await page.getByText('Only its creator and administrators').waitFor();
    await press('Enter');
    await page.getByRole('heading', { name: 'Theirs', exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('grid').focus();
    await press('Control+Enter');
    await page.getByRole('heading', { name: 'Theirs', exact: true }).waitFor();
    await page.getByText('Only its creator and administrators').waitFor();
    assert.equal(await page.getByRole('button', { name: /^(Edit|Delete)/ }).count(), 0);
    await page.goto(`${page.url()}?edit=true`);
    await page.getByText('Only its creator and administrators').waitFor();
    assert.equal(await page.getByRole('textbox').count(), 0, 'the address of the form offers none either');
  });

  it('stay on a narrow screen while they are edited, and so does what can be done with selected records', async () => {
    for (const width of [390, 360]) {
      await page.setViewportSize({ width, height: 700 });
      await openGrid();
      for (const name of ['Title', 'Code', 'Rank', 'Day']) {
        await press('F2');
        const field = await page.locator('.grid-editor input, .grid-editor textarea').boundingBox();
        assert.ok(field !== null && field.x >= 0 && field.x + field.width <= width, `${name} at ${width}`);
        await press('Escape', 'ArrowRight');
        if (name === 'Rank') await press('ArrowRight');
      }
      await page.getByRole('checkbox', { name: 'Select record 1' }).check();
      const clear = await page.getByRole('button', { name: 'Clear the selection' }).boundingBox();
      assert.ok(clear !== null && clear.height < 40 && clear.x + clear.width <= width);
    }
    await page.setViewportSize({ width: 1200, height: 900 });
  });

  it('are accessible while they are edited, refused and in conflict', async () => {
    await change(1, 'Title', string('Theirs'));
    await press('ArrowDown');
    await page.keyboard.type('Mine');
    await press('Enter', 'ArrowUp');
    await page.locator('.grid-note').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page, 'main'), [], colorScheme);
    }
    assert.deepEqual(
      complaints.filter((text) => !/ERR_(?:INTERNET_DISCONNECTED|FAILED)/.test(text)),
      [],
    );
  });
});
