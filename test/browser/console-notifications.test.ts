// Notifications in the console: written, sent once, followed up; and received by this browser's own service worker.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type PushService, startPushService } from '../notifications/push-service.ts';
import { registerBrowser } from '../notifications/scene.ts';
import { type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';
import { allowPush, type PushWindow } from './push-window.ts';

const HOSTILE = '"><img src=x onerror="document.title=1">\u202e';

/** A test cuts connections itself. */
const isUnexpected = (complaint: string): boolean => !complaint.includes('net::ERR_FAILED');

describe('notifications in the console', { skip: WITHOUT_BROWSER }, () => {
  let service: PushService;
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let page: Page;
  let complaints: readonly string[];
  let hana: Person;
  let push: PushWindow;
  let record = '';

  before(async () => {
    service = await startPushService();
    scene = await openConsoleScene({ push: { services: [service.origin] } });
    ({ server } = scene);
    app = await publishApplication(server, {
      ...{ pushNotificationsEnabled: true, teamsModeEnabled: false },
      collections: [{ name: 'Visits', columns: [{ name: 'Title', type: 'String' }] }],
    });
    hana = await app.addPerson('Hana');
    await app.addPerson(`Ben ${HOSTILE}`);
    await registerBrowser(app, hana, service);
    const json = { values: { [app.ids.Visits!.Title!]: string('Lift 3') } };
    record = `${server.address}/console/${app.id}/${app.ids.Visits!.id}/${(await app.send('POST', app.records('Visits'), { json })).body.id}`;
    ({ page, complaints } = await scene.openPage('about:blank'));
    push = await allowPush(page, service, server.address);
    await page.goto(`${server.address}/console/${app.id}`);
    await signIn(page, app.admin);
    await page.getByRole('link', { name: 'Notifications' }).click();
    await page.getByRole('heading', { name: 'Write a notification' }).waitFor();
  });
  after(async () => {
    await scene.close();
    await service.close();
  });

  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const send = () => page.getByRole('button', { name: /^Send to/ }).click();
  const choose = async (letters: string, name: string) => {
    await page.getByRole('combobox', { name: 'To' }).fill(letters);
    await page.getByRole('option', { name }).click();
    await page.getByRole('row', { name }).waitFor();
  };
  const history = () => page.getByRole('region', { name: 'Sent in the last seven days' });

  it('are written to people found by typing, previewed, and kept over a reload', async () => {
    await choose('Ha', 'Hana');
    await choose('Ben', 'Ben');
    await page.getByText('1 of them has a device').waitFor();
    await field('Title').fill(HOSTILE);
    await field('Message').fill('Inspection is due.');
    await field('Link').fill('javascript:alert(1)');
    await page.getByText('A link begins with https://').waitFor();
    await field('Link').fill(record);
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText(HOSTILE).waitFor();
    await preview.getByText('Inspection is due.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Send to 2 people' }).waitFor();
    assert.equal(await field('Message').inputValue(), 'Inspection is due.');
    assert.equal(await page.locator('main img').count(), 0);
  });

  it('are sent once, and what became of them is told', async () => {
    await send();
    await page.getByText('Sent to 2 people.').waitFor();
    await history().getByText('1 delivered').waitFor();
    await history().getByText('1 without a device').waitFor();
    assert.equal(service.requests, 1);
    await history()
      .getByRole('button', { name: /Inspection is due/ })
      .click();
    await history().getByText('Device without a name: Delivered').waitFor();
    assert.equal(await field('Message').inputValue(), '');
  });

  it('say why they were not delivered', async () => {
    service.react = () => ({ status: 403, body: 'no' });
    await choose('Hana', 'Hana');
    await field('Message').fill('Refused');
    await field('Message').press('Tab');
    await send();
    const refused = history().getByRole('button', { name: /Refused/ });
    await refused.getByText('Not delivered').waitFor();
    await refused.click();
    const reason = history().getByText(/The push service refused it/);
    await reason.waitFor();
    assert.match(await reason.innerText(), /answered 403/);
    service.react = () => ({ status: 201 });
  });

  it('go on where they stopped, and nobody gets them twice', async () => {
    const before = service.requests;
    await page.route('**/notifications', (route) =>
      route.request().method() === 'POST' && route.request().url().includes(hana.id) ? route.abort() : route.fallback(),
    );
    await choose('Ben', 'Ben');
    await choose('Hana', 'Hana');
    await field('Message').fill('In two steps');
    await send();
    await page.getByText('Sent to 1 of 2 people.').waitFor();
    await page.unroute('**/notifications');
    await page.reload();
    await page.getByRole('button', { name: 'Send to the remaining person' }).click();
    await page.getByText('Sent to 2 people.').waitFor();
    await until('the delivery', () => service.requests === before + 1);
    const { body } = await app.send('GET', '/notifications');
    assert.equal(body.filter((one: { body: string }) => one.body === 'In two steps').length, 2);
  });

  describe('in this browser', () => {
    it('are turned on, and a test arrives', async () => {
      await page.getByRole('button', { name: 'Turn on notifications in this browser' }).click();
      await page.getByText('This browser receives your notifications').waitFor();
      await until('the worker', () => page.context().serviceWorkers().length === 1);
      await page.getByRole('button', { name: 'Show a test notification' }).click();
      await push.arrive(1, 'It works: Notifications of Test look like this.');
      assert.deepEqual(await push.shown(), ['It works: Notifications of Test look like this.']);
      await push.clear();
    });

    it('lead an open page to the record that they speak of', async () => {
      const notification = { title: 'Lift', body: 'Look', url: record };
      await app.send('POST', `/users/${app.admin.id}/notifications`, { json: notification });
      await push.arrive(2, 'Lift: Look');
      await push.click();
      await page.getByRole('heading', { name: 'Lift 3' }).waitFor();
      assert.equal(page.url(), record);
      assert.deepEqual(complaints.filter(isUnexpected), []);
      await push.clear();
    });

    it('are shown while no page is open, and open one', async () => {
      await page.goto('about:blank');
      await app.send('POST', `/users/${app.admin.id}/notifications`, { json: { body: HOSTILE, url: record } });
      await push.arrive(3, `Test: ${HOSTILE}`);
      await push
        .worker()
        .evaluate(
          `Object.defineProperty(self.clients, 'openWindow', { value: async (url) => { self.opened = url; } })`,
        );
      await push.click();
      await until('the page', async () => (await push.worker().evaluate('self.opened')) === record);
    });

    it('are turned on again after signing out and in, and turned off', async () => {
      await page.goto(`${server.address}/console/${app.id}/notifications`);
      await page.getByText('This browser receives your notifications').waitFor();
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByLabel('Password').waitFor();
      const devices = async () => (await app.send('GET', `/users/${app.admin.id}/devices`)).body.length;
      assert.equal(await devices(), 0);
      // The reply to the registration is lost, and the page is left; the next one registers again, later than it lists devices.
      const own = page.getByRole('region', { name: 'Devices' });
      await page.route('**/devices', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        await route.fetch();
        await route.abort();
      });
      await signIn(page, app.admin);
      await until('the device', async () => (await devices()) === 1);
      await page.unrouteAll({ behavior: 'wait' });
      await page.route('**/devices', async (route) => {
        if (route.request().method() === 'POST') await own.getByRole('listitem').waitFor();
        await route.continue();
      });
      await page.goto(`${server.address}/console/${app.id}/me`);
      await own.getByRole('listitem').waitFor();
      await page.getByRole('button', { name: 'Turn off notifications in this browser' }).click();
      await page.getByText('do not reach this browser yet').waitFor();
      await own.getByRole('listitem').waitFor({ state: 'detached' });
      assert.equal(await devices(), 0);
      assert.deepEqual(complaints.filter(isUnexpected), []);
    });
  });

  it('have no page for who may not send, and no link', async () => {
    const opened = await scene.openPage(`${server.address}/console/${app.id}/notifications`);
    await signIn(opened.page, hana);
    await opened.page.getByText('Notifications are not yours to send.').waitFor();
    assert.equal(await opened.page.getByRole('link', { name: 'Notifications' }).count(), 0);
  });

  it('say in words what a browser cannot do', async () => {
    const opened = await scene.openPage('about:blank');
    await opened.page.addInitScript('delete window.PushManager');
    await opened.page.goto(`${server.address}/console/${app.id}/notifications`);
    await signIn(opened.page, app.admin);
    await opened.says(/This browser cannot receive notifications/);
    assert.ok(await opened.page.getByRole('button', { name: 'Turn on notifications in this browser' }).isDisabled());
  });
});
