// Files brought into the console and taken from it, as a person does it: each format, encodings, pasted tables, upserts,
// rejected rows, and an import that loses its connection and then its page.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { publishApplication, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const HOSTILE = '"><img src=x onerror="document.title=1">';
const ROWS = 2_000;

describe('import and export in the console', { skip: WITHOUT_BROWSER }, () => {
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
          name: 'Bikes',
          columns: [
            { name: 'Code', type: 'String', unique: true, searchable: true, sortable: true },
            { name: 'Price', type: 'Number', searchable: true },
            { name: 'Built', type: 'Date' },
            { name: 'Electric', type: 'Boolean' },
            { name: 'Owner', type: 'User' },
            { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Name' } },
          ],
        },
        { name: 'Sites', columns: [{ name: 'Name', type: 'String', unique: true, searchable: true }] },
        { name: 'Many', columns: [{ name: 'No', type: 'Number', searchable: true }] },
      ],
    });
    const person = await app.addPerson('Some Person');
    const site = { values: { [app.ids.Sites!.Name!]: { type: 'String', value: 'North' } } };
    await app.send('POST', app.records('Sites'), { json: site });
    ({ page, complaints } = await scene.openPage(`${server.address}/console/${app.id}`));
    await signIn(page, person);
    await page.getByRole('link', { name: 'Import a file' }).click();
    await page.getByRole('heading', { name: 'Import into Bikes' }).waitFor();
  });
  after(() => scene.close());

  const open = (collection: string) =>
    page.goto(`${server.address}/console/${app.id}/${app.ids[collection]!.id}/import`);
  const choose = async (name: string, content: string | Uint8Array) => {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: /^Choose (a|another) file/ }).click();
    await (await chooser).setFiles({ name, mimeType: '', buffer: Buffer.from(content) });
    await page.getByRole('heading', { name: 'Columns' }).waitFor();
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const pick = async (label: string | RegExp, option: string) => {
    await page.getByRole('button', { name: label }).click();
    await page.getByRole('option', { name: option }).click();
  };
  const says = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const another = () => press('Import another file');
  const stored = async (collection: string) => {
    const { body } = await app.send('GET', `${app.records(collection)}?sortKey=createdAt&sortOrder=ascending`);
    const names = Object.entries(app.ids[collection]!);
    return (body as { values: Record<string, { value?: unknown; name?: unknown }> }[]).map(({ values }) =>
      Object.fromEntries(
        names.flatMap(([name, id]) => (values[id] === undefined ? [] : [[name, values[id].value ?? values[id].name]])),
      ),
    );
  };
  const find = async (code: string) => (await stored('Bikes')).find(({ Code }) => Code === code);

  it('shows what will be stored, marks what cannot, and stores the rest', async () => {
    await choose(
      'bikes.csv',
      [
        'Code;Price;Built;Electric;Owner;Site;Remark',
        'A1;12.5;2026-01-31;yes;Some Person;North;x',
        `"${HOSTILE.replaceAll('"', '""')}";1;;;;;`,
        "'=1+1;2;;;;;",
        'A4;many;3/4/2026;;Nobody;South;',
        'A1;7;;;;;',
      ].join('\n'),
    );
    await page.getByText(/^bikes\.csv \d+ byte$/).waitFor();
    const preview = page.getByRole('region', { name: 'What will be stored' }).last();
    await preview.getByText('"many" is not a number').waitFor();
    await preview.getByText('"3/4/2026" may mean two days').waitFor();
    await preview.getByText('"Nobody" is nobody in this application').waitFor();
    await preview.getByText('there is no record in Sites with Name "South"').waitFor();
    await preview.getByText(HOSTILE).waitFor();
    await preview.getByText('=1+1', { exact: true }).waitFor();
    await press('Check the whole file');
    await says('5 rows checked: 3 can be stored, 2 would be rejected.');
    await page.getByText('Code: line 2 has the same value').waitFor();
    assert.equal((await stored('Bikes')).length, 0);
    await press('Import');
    await says('3 records were stored. 2 rows were rejected.');
    assert.deepEqual(
      (await stored('Bikes')).map(({ Site, ...others }) => [(Site as { value: string } | undefined)?.value, others]),
      [
        ['North', { Code: 'A1', Price: 12.5, Built: '2026-01-31', Electric: true, Owner: 'Some Person' }],
        [undefined, { Code: HOSTILE, Price: 1 }],
        [undefined, { Code: '=1+1', Price: 2 }],
      ],
    );
    const download = page.waitForEvent('download');
    await press('Download the rejected rows');
    const file = await download;
    assert.equal(file.suggestedFilename(), 'bikes.rejected.csv');
    const rejected = (await readFile(await file.path(), 'utf8')).split('\r\n');
    assert.equal(rejected[0], '\ufeffCode;Price;Built;Electric;Owner;Site;Remark;$line;$reason');
    assert.match(rejected[1] ?? '', /^A4;many;3\/4\/2026;;Nobody;South;;5;"Price: ""many"" is not a number; Built/);
    assert.match(rejected[2] ?? '', /^A1;7;;;;;;6;.*is taken/);
    await page.getByRole('link', { name: 'Show what was imported' }).click();
    await page.getByText('3 hits').waitFor();
  });

  it('refuses to store the same file twice, and updates by a unique column', async () => {
    await open('Bikes');
    const file = 'Code,Price\nB1,1\nB2,2\n';
    await choose('twice.csv', file);
    await press('Import');
    await says('2 records were stored.');
    await another();
    await choose('renamed.csv', file);
    await says('This file was imported here on');
    await press('Import');
    await page.getByRole('alert').filter({ hasText: 'has been imported here already' }).waitFor();
    await pick(/Records that exist/, 'Update the record with the same Code, or create it');
    await press('Import');
    await says('2 records were stored.');
    await another();
    await choose('update.csv', 'Code,Price\nB1,10\nB2,\nB3,30\n');
    await pick(/Records that exist/, 'Update the record with the same Code, or create it');
    await press('Import');
    await says('3 records were stored.');
    assert.deepEqual([(await find('B1'))?.Price, (await find('B2'))?.Price, (await find('B3'))?.Price], [10, 2, 30]);
  });

  it('reads Shift_JIS and UTF-16, and lets the separator and the columns be changed', async () => {
    await another();
    // 自転車, 価格: found out, and wrong names mapped by hand.
    const shiftJis = Buffer.from('8ea9935d8ed42c89bf8a690a93fa967b2c310a', 'hex');
    await choose('sjis.csv', shiftJis);
    await page.getByRole('button', { name: /SHIFT_JIS/ }).waitFor();
    await page.getByText('Choose where at least one column goes.').waitFor();
    await pick(/Column for 自転車/, 'Code');
    await press('Import');
    await says('1 record was stored.');
    assert.deepEqual(await find('日本'), { Code: '日本' });
    await another();
    await choose('utf16.csv', Buffer.from('\ufeffCode\tPrice\n京都\t5\n', 'utf16le'));
    await page.getByRole('button', { name: /UTF-16LE/ }).waitFor();
    await page.getByRole('button', { name: /Tab/ }).waitFor();
    await press('Import');
    await says('1 record was stored.');
    assert.deepEqual(await find('京都'), { Code: '京都', Price: 5 });
  });

  it('reads JSON Lines, Excel files and pasted tables', async () => {
    await another();
    await choose(
      'lines.jsonl',
      '{"Code":"J1","Price":1.5,"Electric":true}\n{"Code":"J2","Built":"2026-02-03"}\nnot json\n',
    );
    await press('Import');
    await says('2 records were stored. 1 row was rejected.');
    assert.deepEqual(await find('J2'), { Code: 'J2', Built: '2026-02-03' });
    await another();
    await page.getByLabel('Or paste a table').fill('Code\tPrice\nP1\t3\n"P\n2"\t4\n');
    await press('Use this table');
    await page.getByRole('heading', { name: 'Columns' }).waitFor();
    await press('Import');
    await says('2 records were stored.');
    assert.deepEqual(await find('P\n2'), { Code: 'P\n2', Price: 4 });
    await another();
    const chooser = page.waitForEvent('filechooser');
    await press('Choose a file');
    await (await chooser).setFiles({ name: 'old.xlsx', mimeType: '', buffer: Buffer.from('not a zip') });
    await page.getByRole('alert').filter({ hasText: 'This is not an Excel file (.xlsx).' }).waitFor();
  });

  it('exports what the view shows in each format, with formulas defused, and reads it again', async () => {
    await page.evaluate('delete globalThis.showSaveFilePicker; delete Window.prototype.showSaveFilePicker');
    await page.getByRole('link', { name: 'Back to Bikes' }).click();
    await page.getByRole('columnheader', { name: 'Code' }).getByRole('button').first().click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Export…' }).click();
    const files = new Map<string, Buffer>();
    for (const format of ['CSV', 'JSON Lines', 'Excel']) {
      await pick(/Export as/, format);
      const download = page.waitForEvent('download');
      await press('Export');
      const file = await download;
      files.set(file.suggestedFilename(), await readFile(await file.path()));
      await says(/^\d+ records exported\.$/);
    }
    const all = await stored('Bikes');
    const lines = files.get('Bikes.csv')!.toString().split('\r\n');
    assert.equal(lines[0], '\ufeffCode,Price,Built,Electric,Owner,Site');
    assert.equal(lines.length, all.length + 2, 'the heading, and what follows the last line end');
    assert.ok(lines.includes("'=1+1,2,,,,"));
    assert.ok(lines.includes('A1,12.5,2026-01-31,true,Some Person,North'));
    const objects = files.get('Bikes.jsonl')!.toString().trimEnd().split('\n');
    const codes = objects.map((line) => (JSON.parse(line) as { Code: string }).Code);
    assert.deepEqual(codes, all.map(({ Code }) => Code as string).sort());
    await pick(/Export as/, 'CSV');
    await pick(/Values/, 'As the page shows them');
    await page.getByText('people by name: to be read by people').waitFor();
    const download = page.waitForEvent('download');
    await press('Export');
    const shown = (await readFile(await (await download).path(), 'utf8')).split('\r\n');
    assert.ok(shown.includes('A1,12.5,"Jan 31, 2026",Yes,Some Person,North'), shown.join('\n'));
    assert.ok(shown.includes("'=1+1,2,,,,"));
    await press('Close');
    await open('Bikes');
    await choose('back.xlsx', files.get('Bikes.xlsx')!);
    await pick(/Records that exist/, 'Update the record with the same Code, or create it');
    await press('Import');
    await says(`${all.length} records were stored.`);
    assert.deepEqual((await stored('Bikes')).length, all.length);
    assert.deepEqual((await find('A1'))?.Built, '2026-01-31');
  });

  it('writes an export to the disk where the browser can, found by the palette', async () => {
    await page.goto(`${server.address}/console/${app.id}/${app.ids.Bikes!.id}?search=Price%3D12.5`);
    await page.getByText('1 hit').waitFor();
    await page.evaluate(`window.showSaveFilePicker = async ({ suggestedName }) =>
      (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })`);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('textbox').fill('Export');
    await page.getByRole('menuitem', { name: 'Export Bikes' }).click();
    await press('Export');
    await says('1 record exported.');
    const written = await page.evaluate(`(async () => {
      const folder = await navigator.storage.getDirectory();
      return await (await (await folder.getFileHandle('Bikes.csv')).getFile()).text();
    })()`);
    assert.equal(written, 'Code,Price,Built,Electric,Owner,Site\r\nA1,12.5,2026-01-31,true,Some Person,North\r\n');
    await press('Close');
  });

  it('goes on checking a file after the server was away', async () => {
    await open('Bikes');
    await choose('people.csv', 'Code,Owner\nZ1,Some Person\nZ2,Nobody\n');
    await page.getByText('is nobody in this application').first().waitFor();
    await page.route('**/users?*', (route) => route.abort());
    await press('Check the whole file');
    await says('The server cannot be reached.');
    await page.unroute('**/users?*');
    await says('2 rows checked: 1 can be stored, 1 would be rejected.');
    assert.equal(await find('Z1'), undefined, 'checking stores nothing');
  });

  it('goes on after a lost connection and after a reload, and stores every row once', async () => {
    await open('Many');
    // Held back where the test has something to do in the middle of the import, however quick the machine is.
    let batches = 5;
    let offline = false;
    const held: Route[] = [];
    await page.route(
      ({ pathname }) => pathname.endsWith(app.records('Many')),
      async (route) => {
        if (offline) await route.abort('internetdisconnected');
        else if (route.request().method() !== 'GET' && --batches < 0) held.push(route);
        else await route.continue();
      },
    );
    const isHeld = () => until('a batch is held back', () => held.length > 0);
    const file = `No\n${Array.from({ length: ROWS }, (_, at) => at).join('\n')}\n`;
    await choose('many.csv', file);
    await press('Import');
    await isHeld();
    offline = true;
    await page.context().setOffline(true);
    for (const route of held.splice(0)) await route.abort('internetdisconnected');
    await says('The server cannot be reached. The work waits, and goes on by itself.');
    batches = 5;
    offline = false;
    await page.context().setOffline(false);
    await isHeld();
    await page.reload();
    held.length = 0;
    await says('An import of many.csv has not come to its end');
    await choose('many.csv', file);
    await says('It goes on from there, and nothing is stored twice.');
    batches = 2;
    await press('Go on');
    await isHeld();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused').waitFor();
    batches = ROWS;
    for (const route of held.splice(0)) await route.continue();
    await press('Continue');
    await says('2,000 records were stored.');
    const figures = async (measure: string) =>
      Object.values((await app.send('GET', `${app.records('Many')}/figures${measure}`)).body[0]);
    assert.deepEqual(await figures(''), [ROWS]);
    assert.deepEqual(await figures(`?measure=sum:${app.ids.Many!.No}`), [(ROWS * (ROWS - 1)) / 2]);
  });

  it('ran nothing of what it showed', async () => {
    assert.notEqual(await page.title(), '1');
    assert.deepEqual(
      complaints.filter((text) => !/ERR_INTERNET_DISCONNECTED/.test(text)),
      [],
    );
  });
});
