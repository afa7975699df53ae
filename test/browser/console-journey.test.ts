// From an empty installation to people who work, in a browser alone: the operator designs an application from a file and
// publishes it, its first user invites two people without any mail, they work, and one of them gets a notification.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { type PushService, startPushService } from '../notifications/push-service.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';
import { seriousFindings } from './axe.ts';
import { sharedBrowser, WITHOUT_BROWSER } from './browsing.ts';
import * as steps from './first-application.ts';
import { allowPush } from './push-window.ts';

const { ADA, BEN, HANA } = steps;

describe('the first application of a server', { skip: WITHOUT_BROWSER }, () => {
  let service: PushService;
  let server: TestServer;
  const contexts: BrowserContext[] = [];
  const complaints: string[] = [];

  before(async () => {
    service = await startPushService();
    server = await startTestServer({ push: { services: [service.origin] } });
  });
  after(async () => {
    for (const context of contexts) await context.close();
    await server.close();
    await service.close();
  });

  /** Somebody with a browser of their own. */
  const newPage = async (): Promise<Page> => {
    const browser = await sharedBrowser();
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
    contexts.push(context);
    const page = await context.newPage();
    page.on('console', (message) => {
      // That nobody is signed in yet is what the page is told.
      if (message.type() === 'error' && !/status of 401/.test(message.text())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    return page;
  };

  it('is designed from a file, filled, shared, worked in and spoken of, without leaving the browser', async () => {
    const ada = await newPage();
    await ada.goto(server.address);
    await steps.enterAsOperator(ada, OPERATOR_KEY);
    await steps.beginDesign(ada);
    await steps.designFromFile(ada);
    await steps.reviewDesign(ada);
    await steps.publishDesign(ada);
    assert.deepEqual(await seriousFindings(ada, '[role=dialog]'), []);
    await steps.enterAsFirstUser(ada);
    await steps.importRows(ada);
    const hanasLink = await steps.invite(ada, HANA);
    const bensLink = await steps.invite(ada, BEN);

    const [hana, ben] = [await newPage(), await newPage()];
    const push = await allowPush(hana, service, server.address);
    await steps.openInvitation(hana, hanasLink, HANA);
    await steps.enterAsInvited(hana, HANA);
    assert.equal(await hana.getByRole('link', { name: 'People' }).count(), 0, 'those who were invited manage nobody');
    await steps.openInvitation(ben, bensLink, BEN);
    await steps.enterAsInvited(ben, BEN);
    await steps.changeStatus(ben, 'Cold room', 'In order');
    await steps.createRecord(ben, HANA);
    await steps.turnOnNotifications(hana, HANA);

    await steps.writeNotification(ada, 'Goods lift', HANA);
    await steps.sendNotification(ada);
    await push.arrive(1, `Goods lift: ${steps.MESSAGE}`);
    assert.deepEqual(await push.shown(), [`Goods lift: ${steps.MESSAGE}`]);
    await push.click();
    await hana.getByRole('heading', { name: 'Goods lift' }).waitFor();
    assert.equal(hana.url(), ben.url());

    const application = new URL(ben.url()).pathname.split('/')[2];
    const { body: users } = await server.operator('GET', `/applications/${application}/users`);
    const mayManage = users.filter((user: { managementApiAccess: boolean }) => user.managementApiAccess);
    assert.deepEqual([users.length, mayManage.map(({ name }: { name: string }) => name)], [3, [ADA.name]]);
    await hana.getByRole('link', { name: 'Back to Equipment' }).click();
    await hana.getByText(`${steps.ROWS.length + 1} records`).waitFor();
    await hana.getByRole('row', { name: /Cold room.*In order/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('is found again by those who used it in this browser, and opened by any of its links', async () => {
    const page = await newPage();
    const { body: applications } = await server.operator('GET', '/applications');
    const home = `${server.address}/console/${applications[0].id}`;
    await page.goto(`${server.address}/console`);
    const field = page.getByLabel('Link to your application');
    await field.fill(`${home}?x=1#y`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in to Equipment' }).waitFor();
    await page.getByLabel('User ID or e-mail address').fill(BEN.email);
    await page.getByLabel('Password').fill(BEN.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `Account of ${BEN.name}` }).click();
    await page.getByRole('menuitem', { name: 'Other applications' }).click();
    await page
      .getByRole('navigation', { name: 'Used in this browser' })
      .getByRole('link', { name: 'Equipment' })
      .click();
    await page.getByRole('link', { name: 'Lift 1', exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });
});
