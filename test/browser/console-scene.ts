// A server that mails, an application, and a browser of a phone's size that opens the console's pages and listens to
// what they complain of.

import type { BrowserContext, Page } from 'playwright-core';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { type Mailbox, openMailbox } from '../support/mailbox.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { sharedBrowser } from './browsing.ts';

/** Only a broken page takes so long, however busy the machine is. */
const PATIENCE_MS = 60_000;

export interface OpenedPage {
  readonly page: Page;
  /** Waits until the page says so in its line for what is wrong. */
  says(text: RegExp): Promise<void>;
  /** Errors of scripts, and whatever the page's policy keeps out. */
  readonly complaints: string[];
}

/** Signs a person in, in a window of a desk's size. */
export async function signIn(page: Page, { id, password }: Pick<Person, 'id' | 'password'>): Promise<void> {
  await page.setViewportSize({ width: 1200, height: 900 });
  await page.getByLabel('User ID or e-mail address').fill(id);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

export interface ConsoleScene {
  readonly mailbox: Mailbox;
  readonly server: TestServer;
  readonly app: TestApplication;
  /** `timezoneId`: of the browser. */
  openPage(address: string, how?: { readonly timezoneId?: string }): Promise<OpenedPage>;
  close(): Promise<void>;
}

/** `push`: the push services that the server trusts. */
export async function openConsoleScene({ push }: { push?: { services: string[] } } = {}): Promise<ConsoleScene> {
  const mailbox = await openMailbox();
  const server = await startTestServer({
    mail: { url: mailbox.url, from: 'records@example.com' },
    ...(push === undefined ? {} : { push }),
  });
  const [app, browser] = await Promise.all([publishApplication(server, { collections: [] }), sharedBrowser()]);
  const contexts: BrowserContext[] = [];
  return {
    mailbox,
    server,
    app,
    async openPage(address, how = {}) {
      const context = await browser.newContext({ viewport: { width: 320, height: 560 }, ...how });
      contexts.push(context);
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        // That an answer was 401 or the like is what the page is told, and tells, in words.
        if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(address);
      const says = (text: RegExp) => page.getByRole('alert').filter({ hasText: text, visible: true }).waitFor();
      return { page, says, complaints };
    },
    async close() {
      for (const context of contexts) await context.close();
      await server.close();
      await mailbox.close();
    },
  };
}
