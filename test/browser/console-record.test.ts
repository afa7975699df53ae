// A record's page, as a person uses it: tabs, who refers to it, its neighbours, its activity, conflicts, nested values,
// files, places, and what is printed.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { FileChooser, Page } from 'playwright-core';
import { number, type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const HOSTILE = '"><img src=x onerror="document.title=1">\u202e=1+1 javascript:alert(1)';
/** More than the page shows at once. */
const VISITS = 12;
/** What the client sends of a large file at once. */
const PART_BYTES = 8 * 1024 * 1024;

describe('a record in the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let page: Page;
  let complaints: readonly string[];
  let site: string;
  let person: Person;
  let folder: string;
  let large: string;

  const column = (collection: string, name: string): string => app.ids[collection]?.[name] ?? '';
  const add = async (collection: string, values: object): Promise<string> =>
    (await app.send('POST', app.records(collection), { json: { values } })).body.id;
  const address = (collection: string, record = '') =>
    `${server.address}/console/${app.id}/${app.ids[collection]!.id}${record === '' ? '' : `/${record}`}`;
  const heading = (name: string) => page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
  const read = async (collection: string, id: string) =>
    (await app.send('GET', `${app.records(collection)}/${id}`)).body.values;
  const focused = (selector: string) => page.locator(`${selector}:focus`).waitFor({ state: 'attached' });
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
  /** The form has the same heading as the page that follows. */
  const saved = () => page.waitForURL((url) => !url.searchParams.has('edit'));

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-files-'));
    large = join(folder, 'large.bin');
    await writeFile(large, Buffer.alloc(PART_BYTES + 10, 'x'));
    scene = await openConsoleScene();
    ({ server } = scene);
    app = await publishApplication(server, {
      activityLogEnabled: true,
      collections: [
        {
          name: 'Visits',
          columns: [
            { name: 'Title', type: 'String', searchable: true, sortable: true },
            { name: 'Rank', type: 'Number', searchable: true, sortable: true },
            {
              name: 'Site',
              type: 'ReferenceString',
              scheme: { collection: 'Sites', column: 'Name' },
              searchable: true,
            },
            { name: 'Photos', type: 'Array', scheme: { element: { type: 'Attachment' } } },
            {
              name: 'Parts',
              type: 'Array',
              scheme: {
                element: {
                  type: 'Object',
                  scheme: {
                    keys: [
                      { name: 'Name', type: 'String' },
                      { name: 'Weight', type: 'Number' },
                    ],
                  },
                },
              },
            },
          ],
        },
        {
          name: 'Sites',
          columns: [
            { name: 'Name', type: 'String', searchable: true },
            { name: 'Place', type: 'Location' },
          ],
        },
      ],
    });
    site = await add('Sites', {
      [column('Sites', 'Name')]: string(HOSTILE),
      [column('Sites', 'Place')]: { type: 'Location', latitude: 35.68, longitude: 139.76 },
    });
    for (let rank = 1; rank <= VISITS; rank += 1) {
      await add('Visits', {
        [column('Visits', 'Title')]: string(`Visit ${rank}`),
        [column('Visits', 'Rank')]: number(rank),
        [column('Visits', 'Site')]: {
          type: 'ReferenceString',
          collectionId: app.ids.Sites!.id,
          columnId: column('Sites', 'Name'),
          recordId: site,
        },
      });
    }
    const rights = { managementApiAccess: true, organizationManagementApiAccess: true };
    person = await app.addPerson('Some Person', rights);
    ({ page, complaints } = await scene.openPage(`${address('Visits')}?sort=${column('Visits', 'Rank')}`));
    await signIn(page, person);
    await page.getByRole('grid').waitFor();
  });
  after(async () => {
    await scene.close();
    await rm(folder, { recursive: true });
  });

  it('has neighbours in the list that it was opened from, and Escape leads back to the place there', async () => {
    await focused('h1');
    await page.getByRole('link', { name: 'Visit 3', exact: true }).click();
    await heading('Visit 3');
    await focused('h1');
    await page.getByRole('link', { name: 'Next record' }).waitFor();
    await page.keyboard.press('j');
    await heading('Visit 4');
    await page.getByRole('link', { name: 'Previous record' }).waitFor();
    await page.keyboard.press('k');
    await heading('Visit 3');
    await page.keyboard.press('Escape');
    await page.getByRole('grid').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('sort'), column('Visits', 'Rank'));
    const active = await page.getByRole('grid').getAttribute('aria-activedescendant');
    assert.equal(active, 'cell-2-0');
    await focused('.grid-keys');
  });

  it('is begun by keyboard in its first field, and its references are found by what they begin with', async () => {
    for (const name of ['Tower 1', 'Tower 12', 'Old tower 1'])
      await add('Sites', { [column('Sites', 'Name')]: string(name) });
    await page.getByRole('link', { name: 'New record' }).press('Enter');
    await focused('textarea');
    await page.keyboard.type('By keyboard');
    await page.getByRole('combobox', { name: 'Site' }).fill('tower 1');
    await page.getByRole('option', { name: HOSTILE }).waitFor({ state: 'detached' });
    assert.deepEqual(await page.getByRole('option').allInnerTexts(), ['Tower 1', 'Tower 12', 'Old tower 1']);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await focused('.grid-keys');
  });

  it('is edited with e, stored with Ctrl-S, and what was typed outlives Escape', async () => {
    await page.getByRole('link', { name: 'Visit 5', exact: true }).click();
    await heading('Visit 5');
    await page.keyboard.press('e');
    await focused('textarea');
    await page.getByLabel('Title').fill('Visit 5, again');
    await page.keyboard.press('Escape');
    await page.getByText('the changes are not stored yet').waitFor();
    await page.getByRole('button', { name: 'Go on editing' }).click();
    assert.equal(await page.getByLabel('Title').inputValue(), 'Visit 5, again');
    await page.keyboard.press('Control+s');
    await heading('Visit 5, again');
    await focused('h1');
    assert.equal(await page.getByText('not stored yet').count(), 0);
  });

  it('has one draft in all tabs, which waits for its author who signs out', async () => {
    const id = await add('Visits', { [column('Visits', 'Title')]: string('Shared') });
    await page.goto(`${address('Visits', id)}?edit=true`);
    await page.getByLabel('Title').waitFor();
    const opened = page.waitForEvent('popup');
    await page.evaluate('void open(location.href)');
    const other = await opened;
    await other.getByLabel('Title').fill('Typed elsewhere');
    await page.waitForFunction("document.querySelector('textarea')?.value === 'Typed elsewhere'");
    await other.close();
    await page.getByRole('button', { name: 'Account of Some Person' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signIn(page, person);
    await page.getByText('not saved last time').waitFor();
    assert.equal(await page.getByLabel('Title').inputValue(), 'Typed elsewhere');
    await save();
    await heading('Typed elsewhere');
  });

  it('shows who refers to it, with an address, and leads to all of them', async () => {
    await page.goto(address('Sites', site));
    await heading(HOSTILE);
    await page.getByRole('tab', { name: 'Referred to by' }).click();
    await page.getByRole('tabpanel').getByRole('link', { name: 'Visit 12' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('tab'), 'referrers');
    const referrer = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Visit 12' }) });
    assert.match(await referrer.innerText(), /Visit 12\s+Rank\s+12/);
    // Another record of the same name is referred to as well.
    const twin = await add('Sites', { [column('Sites', 'Name')]: string(HOSTILE) });
    const reference = {
      type: 'ReferenceString',
      collectionId: app.ids.Sites!.id,
      columnId: column('Sites', 'Name'),
      recordId: twin,
    };
    await add('Visits', {
      [column('Visits', 'Title')]: string('Other visit'),
      [column('Visits', 'Site')]: reference,
    });
    await page.reload();
    await page.getByText('Another record has the same value').waitFor();
    assert.equal(await page.getByText('Other visit').count(), 0);
    await page.getByRole('link', { name: 'Show all records that refer to this value' }).click();
    await page.getByText(`${VISITS + 1} hits`).waitFor();
  });

  it('shows its activity to those who may see the log', async () => {
    await page.goto(`${address('Sites', site)}?tab=activity`);
    await page.getByRole('tabpanel').getByText('created it').waitFor();
    await page.getByRole('tabpanel').getByText('Admin').waitFor();
    assert.equal(await page.getByRole('tabpanel').getByRole('listitem').count(), 1);
  });

  it('is previewed where it is referred to', async () => {
    const id = await add('Visits', {
      [column('Visits', 'Title')]: string('With a site'),
      [column('Visits', 'Site')]: {
        type: 'ReferenceString',
        collectionId: app.ids.Sites!.id,
        columnId: column('Sites', 'Name'),
        recordId: site,
      },
    });
    await page.goto(address('Visits', id));
    await heading('With a site');
    await page.getByRole('heading', { level: 1 }).hover();
    await page.locator('.record-values').getByRole('link').hover();
    await page.getByRole('tooltip').getByText('35.68').waitFor();
    assert.equal(await page.getByRole('tooltip').locator('img').count(), 0);
    await page.keyboard.press('Escape');
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await heading('With a site');
  });

  it('says deep inside of a value what cannot be stored, and moves items', async () => {
    const part = (name: string, weight: number) => ({
      type: 'Object',
      value: { Name: string(name), Weight: number(weight) },
    });
    const id = await add('Visits', {
      [column('Visits', 'Title')]: string('Nested'),
      [column('Visits', 'Parts')]: { type: 'Array', value: [part('first', 1), part('second', 2)] },
    });
    await page.goto(`${address('Visits', id)}?edit=true`);
    await page.getByRole('button', { name: 'Move item 2 up' }).click();
    const items = page.getByRole('group', { name: 'Parts' });
    assert.equal(await items.getByLabel('Name').first().inputValue(), 'second');
    await items.getByLabel('Name').last().fill('nul\u0000l');
    await save();
    const refused = items.getByLabel('Name').last();
    await page.getByText('See the fields marked below').waitFor();
    assert.equal(await refused.getAttribute('aria-invalid'), 'true');
    await items.locator('textarea:focus').waitFor();
    await refused.fill('first');
    await save();
    await saved();
    await heading('Nested');
    assert.deepEqual((await read('Visits', id))[column('Visits', 'Parts')].value, [
      part('second', 2),
      part('first', 1),
    ]);
  });

  it('takes many files at once, and goes on after a lost connection or a reload', async () => {
    const id = await add('Visits', { [column('Visits', 'Title')]: string('Files') });
    await page.goto(`${address('Visits', id)}?edit=true`);
    const choose = async (files: Parameters<FileChooser['setFiles']>[0]) => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Choose files' }).click();
      await (await chooser).setFiles(files);
    };
    const small = (name: string) => ({ name, mimeType: 'application/pdf', buffer: Buffer.alloc(10, 'x') });
    const shown = page.getByRole('group', { name: 'Photos' }).getByRole('link');
    await choose([small('one.pdf'), small(`${HOSTILE.replaceAll('/', '')}.pdf`)]);
    await shown.nth(1).waitFor();

    const offsets: (string | undefined)[] = [];
    let lost = false;
    await page.route(/\/uploads\/|\/healthz/, async (route) => {
      if (lost) return route.abort();
      if (route.request().method() !== 'PATCH') return route.continue();
      offsets.push(route.request().headers()['upload-offset']);
      // The connection is lost after each part that begins a file.
      lost = offsets.at(-1) === '0';
      return route.continue();
    });
    const connect = async () => {
      lost = false;
      await page.evaluate("dispatchEvent(new Event('online'))");
    };
    await choose(large);
    await page.getByText('The connection is lost').waitFor();
    await connect();
    await shown.nth(2).waitFor();
    await page.getByRole('button', { name: 'Remove item 3' }).click();
    await choose(large);
    await page.getByText('The connection is lost').waitFor();
    await page.reload();
    await page.getByText('was interrupted. Choose the same file again').waitFor();
    lost = false;
    await choose(large);
    await shown.nth(2).waitFor();
    await page.unrouteAll();
    assert.deepEqual(offsets, ['0', String(PART_BYTES), '0', String(PART_BYTES)], 'no byte was sent twice');
    await save();
    await saved();
    await heading('Files');
    const { value } = (await read('Visits', id))[column('Visits', 'Photos')];
    const sizes = value.map(({ size }: { size: number }) => size);
    assert.deepEqual(sizes, [10, 10, PART_BYTES + 10]);
  });

  it('is stored with the files that are still on their way', async () => {
    const id = await add('Visits', { [column('Visits', 'Title')]: string('Slow') });
    await page.goto(`${address('Visits', id)}?edit=true`);
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route(/\/attachments/, async (route) => {
      await arrived;
      return route.continue();
    });
    await page.getByLabel('Title').fill('Slow file');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose files' }).click();
    await (await chooser).setFiles({ name: 'slow.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(10, 'x') });
    await save();
    await page.getByText('saved as soon as its files are uploaded').waitFor();
    assert.equal((await read('Visits', id))[column('Visits', 'Title')].value, 'Slow');
    arrive();
    await heading('Slow file');
    await page.unrouteAll();
    assert.equal((await read('Visits', id))[column('Visits', 'Photos')].value.length, 1);
  });

  it('is put on the map by a click and by keys', async () => {
    await page.goto(`${address('Sites', site)}?edit=true`);
    await page.getByRole('button', { name: 'Set it on a map' }).click();
    const map = page.getByRole('application', { name: 'Map: Place' });
    await map.locator('path[d]').first().waitFor({ state: 'attached' });
    await map.focus();
    await page.keyboard.press('ArrowUp');
    const latitude = page.getByLabel('Latitude');
    assert.ok(Number(await latitude.inputValue()) > 35.68, 'north of where it was');
    await map.click({ position: { x: 20, y: 200 } });
    assert.ok(Number(await page.getByLabel('Longitude').inputValue()) < 139, 'west of where it was');
    await page.context().grantPermissions(['geolocation']);
    await page.context().setGeolocation({ latitude: 43.06, longitude: 141.35 });
    await page.getByRole('button', { name: 'Use my location' }).click();
    await page.waitForFunction("[...document.querySelectorAll('input')].some(({ value }) => value === '43.06')");
    await save();
    await page.locator('.record-values').getByText('43.06° N, 141.35° E').waitFor();
  });

  it('is printed with all its values and nothing to press', async () => {
    await page.goto(`${address('Sites', site)}?tab=referrers`);
    await page.getByRole('tab', { name: 'Referred to by' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.locator('.record-values').getByText('43.06° N').waitFor();
    assert.equal(await page.getByRole('button').filter({ visible: true }).count(), 0);
    assert.equal(await page.getByRole('navigation').filter({ visible: true }).count(), 0);
    await page.emulateMedia({ media: null });
  });

  it('is deleted after its name was asked, and its address and the log tell who did it', async () => {
    const id = await add('Visits', { [column('Visits', 'Title')]: string('Short-lived') });
    await page.goto(address('Visits', id));
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete “Short-lived”? It cannot be brought back.' });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('grid').waitFor();
    await focused('h1');
    assert.equal((await app.send('GET', app.records('Visits', id))).status, 404);
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('row', { name: 'Some Person deleted “Short-lived” from Visits' }).waitFor();
    await page.goto(address('Visits', id));
    await page.getByRole('heading', { name: 'This record does not exist' }).waitFor();
    await page.getByText(/^This record was deleted .* by Some Person\.$/).waitFor();
  });

  it('complained of nothing', () => {
    // Those of the connections that were cut on purpose.
    assert.deepEqual(
      complaints.filter((text) => !text.includes('ERR_FAILED')),
      [],
    );
  });
});
