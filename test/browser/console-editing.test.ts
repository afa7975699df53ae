// Records changed in the console, as a person does it: created, edited, deleted, and what happens when somebody else was
// quicker or the page is closed too early.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

/** Neither by the letters nor by their length. */
const ADDRESS = ['Street', 'City', 'Building'];

describe('editing in the console', { skip: WITHOUT_BROWSER }, () => {
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
          columns: [
            { name: 'Title', type: 'String' },
            { name: 'Code', type: 'String', unique: true, searchable: true },
            { name: 'Rank', type: 'Number' },
            { name: 'Passed', type: 'Boolean' },
            { name: 'Day', type: 'Date' },
            { name: 'At', type: 'Time' },
            { name: 'Inspector', type: 'User' },
            { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Name' } },
            { name: 'Place', type: 'Location' },
            { name: 'Report', type: 'Attachment' },
            { name: 'Address', type: 'Object', scheme: { keys: ADDRESS.map((name) => ({ name, type: 'String' })) } },
            { name: 'Counts', type: 'Array', scheme: { element: { type: 'Number' } } },
          ],
        },
        { name: 'Sites', columns: [{ name: 'Name', type: 'String', searchable: true }] },
      ],
    });
    const person = await app.addPerson('Some Person');
    ({ page, complaints } = await scene.openPage(`${server.address}/console/${app.id}`));
    await signIn(page, person);
    await page.getByText('There are no records in Visits yet.').waitFor();
  });
  after(() => scene.close());

  const column = (name: string): string => app.ids.Visits?.[name] ?? '';
  const add = async (values: object): Promise<string> =>
    (await app.send('POST', app.records('Visits'), { json: { values } })).body.id;
  const read = async (id: string) => (await app.send('GET', `${app.records('Visits')}/${id}`)).body.values;
  const open = (id: string) =>
    page
      .goto(`${server.address}/console/${app.id}/${app.ids.Visits!.id}/${id}?edit=true`)
      .then(() => page.getByLabel('Title').waitFor());
  const save = () => page.getByRole('button', { name: 'Save' }).click();
  /** The form is left when the server has answered. */
  const stored = () => page.waitForURL((url) => !url.searchParams.has('edit'));
  const alert = (text: RegExp) => page.getByRole('alert').filter({ hasText: text }).waitFor();

  it('stores a new record with a value of each type', async () => {
    await page.getByRole('link', { name: 'New record' }).click();
    await page.getByLabel('Title').fill('First\nsecond line');
    await page.getByLabel('Rank').fill('1234.5');
    await page.getByText('Yes', { exact: true }).click();
    await page.getByLabel('Day').fill('2026-11-16');
    await page.getByLabel('At', { exact: true }).fill('09:30');
    await page.getByRole('combobox', { name: 'Inspector' }).fill('Some');
    await page.getByRole('option', { name: 'Some Person' }).click();
    await save();
    await page.getByRole('heading', { name: 'First' }).waitFor();
    const { type, name } = (await read(new URL(page.url()).pathname.split('/').at(-1) ?? ''))[column('Inspector')];
    assert.deepEqual([type, name], ['User', 'Some Person']);
    const { [column('Inspector')]: _, ...others } = await read(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    assert.deepEqual(others, {
      [column('Title')]: string('First\nsecond line'),
      [column('Rank')]: number(1234.5),
      [column('Passed')]: { type: 'Boolean', value: true },
      [column('Day')]: { type: 'Date', value: '2026-11-16' },
      [column('At')]: { type: 'Time', value: '09:30:00' },
    });
  });

  it('stores a reference, a place and a file', async () => {
    const sites = app.ids.Sites!;
    for (const name of ['North gate', 'South "gate"']) {
      await app.send('POST', app.records('Sites'), { json: { values: { [sites.Name!]: string(name) } } });
    }
    const id = await add({ [column('Title')]: string('Rich') });
    await open(id);
    await page.getByRole('combobox', { name: 'Site' }).fill('"gate"');
    await page.getByRole('option', { name: 'South "gate"' }).click();
    await page.getByLabel('Latitude').fill('35.5');
    await page.getByText('Give both latitude and longitude.').waitFor();
    await page.getByLabel('Longitude').fill('139.75');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a file' }).click();
    const file = { name: '報告.txt', mimeType: 'text/plain', buffer: Buffer.from('all is well') };
    await (await chooser).setFiles(file);
    await page.getByRole('link', { name: '報告.txt' }).waitFor();
    await save();
    await stored();
    const values = await read(id);
    assert.deepEqual(values[column('Site')].value, string('South "gate"'));
    assert.deepEqual(values[column('Place')], { type: 'Location', latitude: 35.5, longitude: 139.75 });
    assert.deepEqual([values[column('Report')].name, values[column('Report')].size], ['報告.txt', 11]);
  });

  it('stores objects and arrays, and takes items away', async () => {
    const id = await add({
      [column('Title')]: string('Nested'),
      [column('Counts')]: { type: 'Array', value: [number(1), number(2)] },
    });
    await open(id);
    await page.getByLabel('Street').fill('御池通');
    await page.getByLabel('City').fill('京都');
    await page.getByLabel('Building').fill('市役所');
    await page.getByRole('button', { name: 'Add an item' }).click();
    await page.getByLabel('Item 3', { exact: true }).fill('3');
    await page.getByRole('button', { name: 'Remove item 1' }).click();
    await save();
    await stored();
    const values = await read(id);
    const address = { Street: string('御池通'), City: string('京都'), Building: string('市役所') };
    assert.deepEqual(values[column('Address')], { type: 'Object', value: address });
    assert.deepEqual(await page.locator('.value-object dt').allTextContents(), ADDRESS, 'as the scheme orders them');
    assert.deepEqual(values[column('Counts')], { type: 'Array', value: [number(2), number(3)] });
  });

  it('changes only what was changed, and takes a value away', async () => {
    const id = await add({
      [column('Title')]: string('Old'),
      [column('Rank')]: number(3),
      [column('Code')]: string('c1'),
    });
    await open(id);
    await page.getByLabel('Title').fill('New');
    await page.getByLabel('Rank').fill('');
    await save();
    await page.getByRole('heading', { name: 'New' }).waitFor();
    assert.deepEqual(await read(id), { [column('Title')]: string('New'), [column('Code')]: string('c1') });
  });

  it('says at the field what cannot be stored, and loses nothing', async () => {
    const id = await add({ [column('Title')]: string('Second') });
    await open(id);
    await page.getByLabel('Rank').fill('many');
    await page.getByText('This is not a number.').waitFor();
    await page.getByLabel('Rank').fill('');
    await page.getByLabel('Code').fill('c1');
    await save();
    await page.getByText('Another record has this value').waitFor();
    assert.equal(await page.getByLabel('Code').inputValue(), 'c1');
    // The page goes away before anything is stored.
    await page.reload();
    await alert(/not saved last time/);
    assert.equal(await page.getByLabel('Code').inputValue(), 'c1');
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    assert.equal(await page.getByLabel('Code').inputValue(), '');
  });

  it('overwrites nobody: a change of somebody else is shown beside, and then stored on top of it', async () => {
    const id = await add({ [column('Title')]: string('Mine'), [column('Rank')]: number(1) });
    await open(id);
    await page.getByLabel('Title').fill('Mine, changed');
    const json = { replace: false, values: { [column('Title')]: string('Theirs'), [column('Rank')]: number(2) } };
    assert.equal((await app.send('PUT', `${app.records('Visits')}/${id}`, { json })).status, 200);
    await save();
    const dialog = page.getByRole('dialog', { name: 'This record was changed meanwhile' });
    await dialog.waitFor();
    assert.deepEqual((await read(id))[column('Title')], string('Theirs'));
    const store = dialog.getByRole('button', { name: 'Save these' });
    assert.equal(await store.isDisabled(), true, 'a person has to choose');
    await dialog.getByRole('radio', { name: 'Stored now: Theirs' }).waitFor();
    await dialog.getByText('Mine, changed').click();
    await store.click();
    await page.getByRole('heading', { name: 'Mine, changed' }).waitFor();
    assert.deepEqual(await read(id), { [column('Title')]: string('Mine, changed'), [column('Rank')]: number(2) });
  });

  it('deletes a record after asking, and not one that has changed since', async () => {
    const id = await add({ [column('Title')]: string('Gone') });
    await page.goto(`${server.address}/console/${app.id}/${app.ids.Visits!.id}/${id}`);
    const ask = () => page.getByRole('button', { name: 'Delete' }).click();
    const confirm = () => page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await ask();
    const json = { values: { [column('Title')]: string('Changed') } };
    await app.send('PUT', `${app.records('Visits')}/${id}`, { json });
    await confirm();
    await alert(/changed this record/);
    await page.keyboard.press('Escape');
    await page.reload();
    await ask();
    await confirm();
    await page.getByRole('grid').waitFor();
    assert.equal((await app.send('GET', `${app.records('Visits')}/${id}`)).status, 404);
    assert.deepEqual(complaints, []);
  });
});
