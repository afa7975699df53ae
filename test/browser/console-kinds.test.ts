// Records as cards, on a board, a calendar and a map, and as a chart: as a person uses them, by mouse and keyboard.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

/** Ten pages of the interface. */
const VISITS = 1_000;
const HOSTILE = '"><img src=x onerror="document.title=1"> javascript:alert(1) \u202Eevil =1+1';
const LONG = 'x'.repeat(400);
/** On one day more than a calendar or a page has room for. */
const BUSY_DAY = '2026-03-10';

describe('other views in the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let page: Page;
  let complaints: readonly string[];
  /** Addresses of the interface that the page has asked for since the last view was opened. */
  let asked: string[] = [];

  before(async () => {
    scene = await openConsoleScene();
    ({ server } = scene);
    const indexed = { searchable: true, sortable: true };
    app = await publishApplication(server, {
      collections: [
        {
          name: 'Visits',
          columns: [
            { name: 'Title', type: 'String', ...indexed },
            { name: 'Status', type: 'String', ...indexed },
            { name: 'Passed', type: 'Boolean', ...indexed },
            { name: 'Day', type: 'Date', ...indexed },
            { name: 'Hours', type: 'Number' },
            { name: 'Place', type: 'Location', searchable: true },
            { name: 'Photo', type: 'Attachment' },
          ],
        },
        { name: 'Plain', columns: [{ name: 'Note', type: 'Number' }] },
      ],
    });
    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const uploaded = await app.send('POST', `/collections/${app.ids.Visits!.id}/attachments`, {
      raw: picture,
      headers: { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="red.png"' },
    });
    assert.equal(uploaded.status, 200, uploaded.text);
    for (let from = 0; from < VISITS; from += 100) {
      const json = Array.from({ length: 100 }, (_, i) => ({ values: visit(from + i, uploaded.body) }));
      assert.equal((await app.send('POST', app.records('Visits'), { json })).status, 200);
    }
    await app.send('POST', app.records('Plain'), { json: { values: { [app.ids.Plain!.Note!]: number(1) } } });
    const person = await app.addPerson('Person');
    ({ page, complaints } = await scene.openPage(`${server.address}/console/${app.id}`));
    page.on('request', (request) => {
      if (request.url().includes('/v1/')) asked.push(request.url());
    });
    await signIn(page, person);
    await page.getByRole('grid').waitFor();
  });
  after(() => scene.close());

  const column = (name: string): string => app.ids.Visits?.[name] ?? '';

  function visit(index: number, photo: object): object {
    const title = index === 999 ? HOSTILE : index === 998 ? LONG : `Visit ${index}`;
    const day = index < 600 ? BUSY_DAY : `2026-03-${String((index % 28) + 1).padStart(2, '0')}`;
    const status = index === 997 ? {} : { [column('Status')]: string(index === 996 ? HOSTILE : STATUSES[index % 3]!) };
    return {
      ...status,
      [column('Title')]: string(title),
      [column('Passed')]: { type: 'Boolean', value: index % 2 === 0 },
      [column('Day')]: { type: 'Date', value: day },
      [column('Hours')]: number(index),
      [column('Place')]: {
        type: 'Location',
        latitude: index % 2 === 0 ? 35.6 : -12,
        longitude: index % 2 === 0 ? 139.7 : -77,
      },
      ...(index === 995 ? { [column('Photo')]: { type: 'Attachment', ...photo } } : {}),
    };
  }

  async function open(kind: string, parameters: Record<string, string> = {}): Promise<void> {
    asked = [];
    const query = new URLSearchParams({ view: kind, ...parameters });
    await page.goto(`${server.address}/console/${app.id}/${app.ids.Visits!.id}?${query}`);
  }
  const focused = (text: string) => page.locator(':focus').filter({ hasText: new RegExp(`^${text}$`) });
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name);
  const listsAsked = () => asked.filter((address) => /\/records\?/.test(address)).length;
  const lane = (name: string) => page.getByRole('region', { name: new RegExp(`^${name},`) });
  const card = (name: string) => page.getByRole('row', { name, exact: true });
  const pick = async (label: string, option: string) => {
    await page.getByRole('button', { name: new RegExp(`${label}$`) }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const find = async (title: string) => {
    const search = encodeURIComponent(`$${column('Title')}="${title}"`);
    return (await app.send('GET', `${app.records('Visits')}?search=${search}`)).body[0];
  };
  /** What was moved is stored a moment later. */
  async function stored(title: string, name: string, value: unknown): Promise<void> {
    for (let tries = 0; tries < 50; tries += 1) {
      if ((await find(title)).values[column(name)]?.value === value) return;
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
    }
    assert.fail(`${title} has no ${name} ${value}`);
  }

  it('are chosen in the menu of views, and stand in the address', async () => {
    await page.getByRole('button', { name: 'View: Grid' }).click();
    await page.getByRole('menuitemradio', { name: 'Cards' }).click();
    await page.getByRole('region', { name: 'Cards of Visits' }).waitFor();
    assert.equal(parameter('view'), 'cards');
  });

  it('show cards of any number, with pictures, and go through them by keys', async () => {
    await open('cards');
    const cards = page.getByRole('region', { name: 'Cards of Visits' });
    await cards.getByRole('link', { name: HOSTILE }).waitFor();
    await page.getByText(`1,000 records`).waitFor();
    assert.ok((await cards.getByRole('listitem').count()) < 60, 'only what is in sight is on the page');
    assert.ok(listsAsked() <= 1, `${listsAsked()} pages`);
    const picture = cards.getByRole('listitem').filter({ hasText: 'Visit 995' }).locator('img');
    await picture.waitFor();
    assert.match((await picture.getAttribute('src')) ?? '', /\?size=512$/);
    assert.equal(await cards.locator('img').count(), 1, 'what is in a record is text');
    await cards.getByRole('link', { name: HOSTILE }).focus();
    await page.keyboard.press('End');
    await cards.getByRole('link', { name: 'Visit 0', exact: true }).waitFor();
    await focused('Visit 0').waitFor();
    await page.keyboard.press('ArrowLeft');
    await focused('Visit 1').waitFor();
    assert.ok(listsAsked() <= 3, `${listsAsked()} pages`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Visit 1', exact: true }).waitFor();
    await page.goBack();
    await pick('Picture', 'None');
    assert.equal(parameter('by'), 'none');
  });

  it('show a board with the number of cards in each lane, and load only what is in sight', async () => {
    await open('board');
    for (const [name, count] of [
      ['done', 332],
      ['open', 333],
      ['waiting', 333],
      ['No value', 1],
    ] as const) {
      await page.getByRole('region', { name: `${name}, ${count} record${count === 1 ? '' : 's'}` }).waitFor();
    }
    await card('Visit 995').waitFor();
    assert.ok(listsAsked() <= 6, `${listsAsked()} lists`);
    assert.ok((await page.locator('.board-card').count()) < 120);
    assert.equal(await page.locator('.board img').count(), 0, 'what is in a record is text');
  });

  it('move cards by mouse, by keyboard and by menu', async () => {
    await card('Visit 995').dragTo(lane('done'), { targetPosition: { x: 100, y: 300 } });
    await lane('done').getByRole('row', { name: 'Visit 995' }).waitFor();
    await stored('Visit 995', 'Status', 'done');
    await page.getByRole('region', { name: 'done, 333 records' }).waitFor();

    await card('Visit 994').focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('[aria-label="Move Visit 994"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.lane-cards[data-drop-target]').waitFor();
    for (let tabs = 0; tabs < 8; tabs += 1) {
      const target = await page.locator('section.lane:has(:focus)').getAttribute('aria-label');
      if (target?.startsWith('waiting,')) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await stored('Visit 994', 'Status', 'waiting');
    await lane('waiting').getByRole('row', { name: 'Visit 994' }).waitFor();

    await page.getByRole('button', { name: 'Move Visit 993 to' }).click();
    await page.getByRole('menuitem', { name: 'No value' }).click();
    await stored('Visit 993', 'Status', undefined);
    await lane('No value').getByRole('row', { name: 'Visit 993' }).waitFor();
  });

  it('take a card back that somebody else has changed, and say so', async () => {
    await open('board');
    await card('Visit 992').waitFor();
    const { id } = await find('Visit 992');
    const json = { values: { [column('Hours')]: number(7) }, replace: false };
    assert.equal((await app.send('PUT', app.records('Visits', id), { json })).status, 200);
    await page.getByRole('button', { name: 'Move Visit 992 to' }).click();
    await page.getByRole('menuitem', { name: 'done' }).click();
    await page.getByRole('alert').filter({ hasText: 'Somebody else has changed “Visit 992”' }).waitFor();
    await lane('waiting').getByRole('row', { name: 'Visit 992' }).waitFor();
    assert.equal((await find('Visit 992')).values[column('Status')].value, 'waiting');
    await page.getByRole('button', { name: 'Close' }).click();
  });

  it('begin a new record in a lane, and a lane for a new text', async () => {
    await page.getByRole('button', { name: 'New lane' }).click();
    await page.getByRole('textbox', { name: 'New lane' }).fill('archived');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'New record in archived' }).click();
    await page.getByRole('heading', { name: 'New record in Visits' }).waitFor();
    assert.equal(await page.getByLabel('Status').inputValue(), 'archived');
  });

  it('show a month with the first records of each day, and the list of a busy one', async () => {
    await open('calendar', { at: '2026-03-15' });
    await page.getByRole('heading', { name: 'March 2026' }).waitFor();
    const busy = page.getByRole('group', { name: /10 March 2026|March 10, 2026/ });
    await busy.getByRole('link').nth(1).waitFor();
    assert.equal(await busy.locator('.entry').count(), 2);
    assert.ok(listsAsked() <= 30, `${listsAsked()} lists`);
    await busy.getByRole('button', { name: /^\+\d+ more$/ }).click();
    assert.equal(parameter('at'), BUSY_DAY);
    const list = page.getByRole('region', { name: /10 March 2026|March 10, 2026/ });
    await list.getByRole('link').first().waitFor();
    assert.ok((await list.getByRole('listitem').count()) < 80, 'only what is in sight is on the page');
    await page.goBack();
    await page.getByRole('heading', { name: 'March 2026' }).waitFor();
    await page.getByRole('button', { name: 'Forward' }).click();
    await page.getByRole('heading', { name: 'April 2026' }).waitFor();
    await pick('Show', 'Week');
    assert.equal(parameter('by'), `${column('Day')}:week`);
  });

  it('move records to other days by mouse and keyboard, and begin new ones on a day', async () => {
    await open('calendar', { at: '2026-03-15', search: '"Visit 99"' });
    const day = (number: number) =>
      page.getByRole('group', { name: new RegExp(`\\b(${number} March|March ${number},)`) });
    const entry = (title: string) => page.locator('.entry').filter({ hasText: title });
    await entry('Visit 991').dragTo(day(25));
    await stored('Visit 991', 'Day', '2026-03-25');
    await day(25).getByRole('link', { name: 'Visit 991' }).waitFor();

    await page.getByRole('button', { name: 'Move Visit 991' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.day.target').waitFor();
    for (let tabs = 0; tabs < 50; tabs += 1) {
      const target = (await page.locator(':focus').getAttribute('aria-label')) ?? '';
      if (/\b(26 March|March 26,)/.test(target)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await stored('Visit 991', 'Day', '2026-03-26');
    await day(26).getByRole('link', { name: 'Visit 991' }).waitFor();

    await day(2).hover();
    await day(2)
      .getByRole('link', { name: /^New record on/ })
      .click();
    await page.getByRole('heading', { name: 'New record in Visits' }).waitFor();
    assert.equal(await page.getByLabel('Day').inputValue(), '2026-03-02');
  });

  it('show places on a map, and what is at them', async () => {
    await open('map');
    await page.getByText('1,000 locations').waitFor();
    assert.ok(listsAsked() <= 12, `${listsAsked()} pages`);
    const map = page.getByRole('application', { name: 'Map of Visits' });
    assert.equal(await map.getByRole('button', { name: '500 records near here' }).count(), 2);
    await map.focus();
    await page.keyboard.press('+');
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(/at=/);
    await page.keyboard.press('0');
    await page.waitForURL((address) => !address.searchParams.has('at'));
    await open('map', { search: '"Visit 98"' });
    await map
      .getByRole('button', { name: /records near here/ })
      .first()
      .press('Enter');
    await page.getByRole('dialog').getByRole('link', { name: 'Visit 98' }).first().click();
    await page.getByRole('heading', { name: /^Visit 98/ }).waitFor();
  });

  it('draw figures, and lead from a group to its records', async () => {
    await open('chart', { by: column('Passed'), measure: `average:${column('Hours')}` });
    await page.getByRole('heading', { name: 'Average of Hours by Passed' }).waitFor();
    const table = page.getByRole('table');
    await table.getByRole('row', { name: /^Yes .* 500$/ }).waitFor();
    assert.ok(asked.filter((address) => address.includes('/figures?')).length <= 2);
    await pick('Figure', 'Number of records');
    await table.getByRole('row', { name: 'No 500' }).waitFor();
    await page.locator('.recharts-bar-rectangle').last().click();
    await page.getByRole('grid').waitFor();
    await page.getByText('500 hits').waitFor();
    assert.equal(parameter('search'), `$${column('Passed')}=true`);
    await page.goBack();
    await pick('By', 'Day');
    await page.getByRole('button', { name: /Day per$/ }).waitFor();
    await pick('per', 'Month');
    await table.getByRole('link', { name: 'March 2026' }).click();
    await page.getByText('1,000 hits').waitFor();
    await open('chart', {
      by: `${column('Day')}:day`,
      search: `$${column('Day')}=2026-03-05 OR $${column('Day')}=2026-03-07`,
    });
    await table.getByRole('row', { name: 'Mar 6, 2026 0' }).waitFor();
    await open('chart', { by: column('Status') });
    await pick('Stacked by', 'Passed');
    await page.getByRole('heading', { name: 'Number of records by Status and Passed' }).waitFor();
    assert.deepEqual(await page.getByRole('list', { name: 'Parts' }).getByRole('listitem').allInnerTexts(), [
      'No',
      'Yes',
    ]);
    assert.equal(parameter('split'), column('Passed'));
    await table.getByRole('row', { name: /^No value \d+ \d+ \d+$/ }).waitFor();
    await table.getByRole('link', { name: HOSTILE }).click();
    await page.getByText('1 hit', { exact: true }).waitFor();
  });

  it('say what is missing where a collection has nothing to arrange by', async () => {
    const plain = `${server.address}/console/${app.id}/${app.ids.Plain!.id}`;
    for (const [kind, text] of [
      ['board', /A board needs a column/],
      ['map', /A map needs a column of locations/],
    ] as const) {
      await page.goto(`${plain}?view=${kind}`);
      await page.getByText(text).waitFor();
      assert.equal(await page.locator('.board-card, .marker').count(), 0);
    }
    assert.deepEqual(complaints, []);
  });
});

const STATUSES = ['open', 'done', 'waiting'] as const;
