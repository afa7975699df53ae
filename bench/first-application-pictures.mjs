// @ts-check
// The pictures of docs/first-application.md: from an empty server to a notification, by the steps that
// test/browser/console-journey.test.ts checks.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startOurs } from './side-ours.mjs';

/** Among the names of `--only`. */
export const FIRST_APPLICATION = 'first-application';

/**
 * @template T
 * @param {string} path below dist/test
 * @returns {Promise<T>}
 */
const compiled = (path) => import(new URL(`../dist/test/${path}`, import.meta.url).href);

/**
 * @typedef {object} Taking
 * @property {import('playwright-core').Browser} browser
 * @property {import('playwright-core').BrowserContextOptions} window
 * @property {{ folder: string, operatorKey: string }} ground where a server of its own gets its folder
 * @property {(name: string, png: Buffer) => Promise<void>} keep
 */

/** @param {Taking} taking */
export async function takeFirstApplication({ browser, window, ground: { folder, operatorKey }, keep }) {
  /** @type {typeof import('../test/notifications/push-service.ts')} */
  const { startPushService } = await compiled('notifications/push-service.js');
  const service = await startPushService();
  const own = join(folder, FIRST_APPLICATION);
  mkdirSync(own, { mode: 0o711 });
  const settings = { CARTULARY_PUSH_SERVICES: service.origin };
  const ours = await startOurs({ folder: own, operatorKey, logLevel: 'warn', settings });
  try {
    await walk({ browser, window, address: ours.address, operatorKey, service, keep });
  } finally {
    await ours.stop();
    await service.close();
  }
}

/**
 * @typedef {object} Walking
 * @property {import('playwright-core').Browser} browser
 * @property {import('playwright-core').BrowserContextOptions} window
 * @property {string} address
 * @property {string} operatorKey
 * @property {import('../test/notifications/push-service.ts').PushService} service
 * @property {Taking['keep']} keep
 */

/** @param {Walking} walking */
async function walk({ browser, window, address, operatorKey, service, keep }) {
  /** @type {typeof import('../test/browser/first-application.ts')} */
  const steps = await compiled('browser/first-application.js');
  /** @type {typeof import('../test/browser/push-window.ts')} */
  const { allowPush } = await compiled('browser/push-window.js');
  const newPage = async () => (await browser.newContext(window)).newPage();
  let taken = 0;
  /** @param {string} name @param {import('playwright-core').Page} page */
  const picture = async (name, page) => {
    taken += 1;
    await page.waitForLoadState('networkidle');
    await keep(`${String(taken).padStart(2, '0')}-${name}`, await page.screenshot());
  };
  const [ada, hana, ben] = [await newPage(), await newPage(), await newPage()];
  await ada.goto(address);
  await steps.enterAsOperator(ada, operatorKey);
  await picture('applications', ada);
  await steps.beginDesign(ada);
  await picture('begin', ada);
  await steps.designFromFile(ada);
  await picture('design', ada);
  await steps.reviewDesign(ada);
  await picture('publish', ada);
  await steps.publishDesign(ada);
  await picture('first-user', ada);
  await steps.enterAsFirstUser(ada);
  await picture('import', ada);
  await steps.importRows(ada);
  const bensLink = await steps.invite(ada, steps.BEN);
  const hanasLink = await steps.invite(ada, steps.HANA);
  await picture('invitation', ada);
  const push = await allowPush(hana, service, address);
  await steps.openInvitation(hana, hanasLink, steps.HANA);
  await picture('password', hana);
  await steps.enterAsInvited(hana, steps.HANA);
  await steps.openInvitation(ben, bensLink, steps.BEN);
  await steps.enterAsInvited(ben, steps.BEN);
  await steps.createRecord(ben, steps.HANA);
  await ben.getByRole('link', { name: 'Back to Equipment' }).click();
  await ben.getByRole('link', { name: 'Goods lift', exact: true }).waitFor();
  await steps.changeStatus(ben, 'Cold room', 'In order');
  await picture('records', ben);
  await steps.turnOnNotifications(hana, steps.HANA);
  await steps.writeNotification(ada, 'Goods lift', steps.HANA);
  await picture('notification', ada);
  await steps.sendNotification(ada);
  await push.arrive(1, `Goods lift: ${steps.MESSAGE}`);
}
