// A browser's page that receives notifications for real: Chromium's own push service cannot be had in a test, so the page
// subscribes at the double, and Chromium hands the worker what the double has decrypted. Everything else is the browser's.

import type { CDPSession, Page, Worker } from 'playwright-core';
import type { Browser, PushService } from '../notifications/push-service.ts';
import { until } from '../support/until.ts';

export interface PushWindow {
  readonly worker: () => Worker;
  /** Waits for the message of that number, and gives it to the worker until it shows this text. */
  arrive(count: number, text: string): Promise<void>;
  /** Titles and texts of the notifications on the screen. */
  shown(): Promise<string[]>;
  /** On the first of them. */
  click(): Promise<unknown>;
  /** Closes all of them. */
  clear(): Promise<unknown>;
}

const AGAIN_MS = 5_000;

/** Before the page is opened: the permission and the subscription have to be there first. */
export async function allowPush(page: Page, service: PushService, origin: string): Promise<PushWindow> {
  const context = page.context();
  const browser: Browser = service.browser();
  await context.grantPermissions(['notifications'], { origin });
  await context.addInitScript(`
    PushManager.prototype.subscribe = async () => ({ toJSON: () => (${JSON.stringify(browser.subscription)}) });
  `);
  const session: CDPSession = await context.newCDPSession(await context.newPage());
  let registrationId = '';
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const ours = registrations.find(({ isDeleted, scopeURL }) => !isDeleted && scopeURL.startsWith(origin));
    registrationId = ours?.registrationId ?? registrationId;
  });
  await session.send('ServiceWorker.enable');
  const worker = (): Worker => context.serviceWorkers()[0] as Worker;
  const shown = () =>
    worker().evaluate(
      `self.registration.getNotifications().then((all) => all.map(({ title, body }) => title + ': ' + body))`,
    ) as Promise<string[]>;
  return {
    worker,
    async arrive(count, text) {
      await until('the message', () => browser.arrivals.length === count);
      // Told by the browser in its own time.
      await until('the registration', () => registrationId !== '');
      const data = JSON.stringify(browser.arrivals.at(-1)?.message);
      let next = 0;
      await until(`the notification ${text}`, async () => {
        // A worker that is just being stopped misses it.
        if (performance.now() > next) {
          next = performance.now() + AGAIN_MS;
          await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
        }
        return (await shown()).includes(text);
      });
    },
    shown,
    click: () =>
      worker().evaluate(`self.registration.getNotifications().then(([notification]) =>
        self.dispatchEvent(new NotificationEvent('notificationclick', { notification })))`),
    clear: () =>
      worker().evaluate('self.registration.getNotifications().then((all) => all.forEach((one) => one.close()))'),
  };
}
