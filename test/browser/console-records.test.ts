// Records in the console, as a person looks at them: the grid, its search and order, a record's page, by mouse and keyboard.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

/** More than two pages of the interface. */
const VISITS = 230;
/** So many that a drag of the scroll bar passes pages that are not there. */
const STEPS = 1_000;
const HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b>';

describe('records in the console', { skip: WITHOUT_BROWSER }, () => {
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
            { name: 'Title', type: 'String', searchable: true, sortable: true },
            { name: 'Rank', type: 'Number', searchable: true, sortable: true },
          ],
        },
        { name: 'Empty', columns: [{ name: 'Title', type: 'String' }] },
        { name: 'Steps', columns: [{ name: 'Number', type: 'Number', sortable: true }] },
      ],
    });
    const { Title = '', Rank = '' } = app.ids.Visits ?? {};
    for (let from = 0; from < VISITS; from += 100) {
      const json = Array.from({ length: Math.min(100, VISITS - from) }, (_, i) => ({
        values: { [Title]: string(from + i === 7 ? HOSTILE : `Visit ${from + i}`), [Rank]: number(from + i) },
      }));
      assert.equal((await app.send('POST', app.records('Visits'), { json })).status, 200);
    }
    for (let from = 0; from < STEPS; from += 100) {
      const json = Array.from({ length: 100 }, (_, i) => ({ values: { [app.ids.Steps!.Number!]: number(from + i) } }));
      assert.equal((await app.send('POST', app.records('Steps'), { json })).status, 200);
    }
    const person = await app.addPerson('Person');
    const opened = await scene.openPage(`${server.address}/console/${app.id}`);
    ({ page, complaints } = opened);
    await signIn(page, person);
    await page.getByRole('grid').waitFor();
  });
  after(() => scene.close());

  const cell = (text: string) => page.getByRole('gridcell', { name: text, exact: true });
  const pathname = () => new URL(page.url()).pathname;

  it('lead from the address of the application to its first collection', async () => {
    assert.equal(pathname(), `/console/${app.id}/${app.ids.Visits!.id}`);
    await page.getByRole('heading', { name: 'Visits' }).waitFor();
    await cell('Visit 229').waitFor();
  });

  it('are sorted by a click on the name of a column, and scrolled to the last', async () => {
    await page.getByRole('columnheader', { name: 'Rank' }).getByRole('button', { name: 'Rank', exact: true }).click();
    await cell('Visit 0').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('sort'), app.ids.Visits!.Rank);
    await page.getByRole('grid').focus();
    await page.getByText(`${VISITS} records`).waitFor();
    await page.keyboard.press('Control+End');
    await cell('Visit 229').waitFor();
    assert.ok((await page.getByRole('row').count()) < 80, 'only what is in sight is on the page');
    await page.keyboard.press('Control+Home');
    await cell('Visit 0').waitFor();
  });

  it('are searched in the search language, and a slip is marked where it is', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('Rank>=228');
    await page.keyboard.press('Enter');
    await page.getByText('2 hits').waitFor();
    await page.getByRole('searchbox').fill('Rank>=');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'cannot be read' }).waitFor();
    await page.goBack();
    await page.getByText('2 hits').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.getByText(`${VISITS} records`).waitFor();
    assert.equal(new URL(page.url()).search, `?sort=${app.ids.Visits!.Rank}`);
  });

  it('have a page each, which Ctrl-Enter opens and whose address can be shared', async () => {
    await page.goto(`${server.address}/console/${app.id}/${app.ids.Visits!.id}?sort=${app.ids.Visits!.Rank}`);
    await cell('Visit 0').waitFor();
    await page.getByRole('grid').focus();
    for (let down = 0; down < 7; down += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    assert.match(pathname(), /\/r[a-z0-9]{26}$/);
    assert.equal(await page.locator('main img, main b').count(), 0, 'what is in a record is text');
    await page.reload();
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await page.getByRole('link', { name: 'Back to Visits' }).click();
    await page.getByRole('grid').waitFor();
  });

  it('are found by collection in the palette, and an empty one says what to do', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('textbox').waitFor();
    await page.keyboard.type('emp');
    await page.getByRole('menuitem', { name: 'Empty', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('There are no records in Empty yet.').waitFor();
    assert.equal(pathname(), `/console/${app.id}/${app.ids.Empty!.id}`);
    await page.goto(`${server.address}/console/${app.id}/t0000000`);
    await page.getByText('This page does not exist.').waitFor();
    assert.deepEqual(complaints, []);
  });

  it('show and take times in the zone of the application, wherever the viewer is', async () => {
    const tokyo = await publishApplication(server, {
      timeZone: 'Asia/Tokyo',
      collections: [{ name: 'Visits', columns: [{ name: 'Started', type: 'DateTime', searchable: true }] }],
    });
    const started = tokyo.ids.Visits!.Started!;
    const json = { values: { [started]: { type: 'DateTime', value: '2026-03-02T15:30:00.000Z' } } };
    const record = (await tokyo.send('POST', tokyo.records('Visits'), { json })).body;
    const address = `${server.address}/console/${tokyo.id}/${tokyo.ids.Visits!.id}`;
    const { page: abroad } = await scene.openPage(`${address}?search=Started:2026-03-03`, {
      timezoneId: 'America/New_York',
    });
    await signIn(abroad, await tokyo.addPerson('Person'));
    const shown = abroad.getByRole('gridcell', { name: 'Mar 3, 2026, 12:30 AM' }).first();
    await shown.waitFor();
    await shown.locator('time').hover();
    const told = (await shown.locator('time').getAttribute('title')) ?? '';
    assert.match(told, /March 3.*12:30:00.*\n.*March 2.*10:30:00 AM EST\n2026-03-02T15:30:00\.000Z/s);
    await abroad.getByRole('grid').focus();
    await abroad.keyboard.press('F2');
    await abroad.locator('.grid-editor input').waitFor();
    const [room, needed] = (await abroad.evaluate(`(() => {
      const input = document.querySelector('.grid-editor input');
      const room = input.clientWidth;
      input.style.width = 'max-content';
      return [room, input.clientWidth];
    })()`)) as number[];
    assert.ok(room! >= needed!, `a time of ${needed} pixels is edited in ${room}`);
    await abroad.keyboard.press('Escape');
    await abroad.goto(`${address}/${record.id}?edit=true`);
    assert.equal(await abroad.getByLabel('Started').inputValue(), '2026-03-03T00:30');
    await abroad.getByText('Time in Asia/Tokyo').waitFor();
    await abroad.getByLabel('Started').fill('2026-03-04T08:00');
    await abroad.keyboard.press('Control+s');
    await abroad.getByText('Mar 4, 2026, 08:00 AM').waitFor();
    const stored = (await tokyo.send('GET', `${tokyo.records('Visits')}/${record.id}`)).body;
    assert.deepEqual(stored.values[started], { type: 'DateTime', value: '2026-03-03T23:00:00.000Z' });
  });

  it('stay in sight while the scroll bar is dragged over some that are not there yet', async () => {
    const steps = await openSteps();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await steps.route(/[?&](skip|after)=/, async (route) => {
      await released;
      // Those that the drag has passed are cancelled.
      await route.continue().catch(() => {});
    });
    const frames = await steps.evaluate<{ last: string; blank: number }>(DRAG);
    assert.deepEqual(frames, { last: '75', blank: 0 });
    assert.equal(await steps.getByRole('grid').getAttribute('aria-busy'), 'true');
    await steps.getByText('Record 501', { exact: true }).waitFor();
    release();
    await steps.getByRole('gridcell', { name: '500', exact: true }).waitFor();
    await steps.locator('[role=grid][aria-busy=false]').waitFor();
    assert.equal(await steps.locator('[aria-rowindex="502"] [aria-colindex="2"]').innerText(), '500');
    assert.equal(await steps.getByText('Record 501', { exact: true }).count(), 0);
  });

  it('are skipped to once, and continued from there', async () => {
    const steps = await openSteps();
    const asked: string[] = [];
    steps.on('request', (request) => {
      const place = /[?&](skip=\d+|after)/.exec(request.url())?.[1];
      if (place !== undefined) asked.push(place);
    });
    await steps.locator('.grid-scroller').evaluate((element) => element.scrollTo(0, 490 * 36));
    await steps.getByRole('gridcell', { name: '505', exact: true }).waitFor();
    await steps.waitForLoadState('networkidle');
    assert.deepEqual(asked, ['skip=400', 'after']);
  });

  async function openSteps(): Promise<Page> {
    const steps = await page.context().newPage();
    await steps.setViewportSize({ width: 1200, height: 900 });
    await steps.goto(`${server.address}/console/${app.id}/${app.ids.Steps!.id}?sort=${app.ids.Steps!.Number}`);
    await steps.getByText('1,000 records').waitFor();
    return steps;
  }
});

/** Scrolls from the top to the middle in 20 frames. Tells in how many of them no record was in sight, and which was first. */
const DRAG = `new Promise((resolve) => {
  const scroller = document.querySelector('.grid-scroller');
  const { top, bottom } = scroller.getBoundingClientRect();
  let [step, blank, last] = [0, 0, ''];
  const frame = () => {
    const links = [...scroller.querySelectorAll('.grid-row .grid-cell-link')];
    const seen = links.filter((link) => {
      const place = link.getBoundingClientRect();
      return place.bottom > top + 36 && place.top < bottom;
    });
    if (seen.length === 0) blank += 1;
    last = seen[0]?.textContent ?? '';
    if (step === 20) return resolve({ last, blank });
    step += 1;
    scroller.scrollTop = 500 * 36 * (step / 20);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;
