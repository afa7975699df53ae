// What the tests of notifications have in common: an application with them switched on, people with browsers, sending.

import assert from 'node:assert/strict';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import type { Browser, PushService } from './push-service.ts';

export const publishWithPush = (server: TestServer, document: object = {}): Promise<TestApplication> =>
  publishApplication(server, { pushNotificationsEnabled: true, collections: [], ...document });

export async function registerBrowser(
  app: TestApplication,
  person: Person,
  service: PushService,
): Promise<Browser & { readonly id: string }> {
  const browser = service.browser();
  const reply = await app.send('POST', `/users/${person.id}/devices`, {
    token: person.token,
    json: { transport: 'webPush', subscription: browser.subscription },
  });
  assert.equal(reply.status, 200, reply.text);
  return { ...browser, id: reply.body.id };
}

export async function notify(app: TestApplication, person: Person, request: object): Promise<void> {
  const reply = await app.send('POST', `/users/${person.id}/notifications`, { json: request });
  assert.equal(reply.status, 204, reply.text);
  assert.equal(reply.text, '');
}

/** How many deliveries are in which state. */
export async function queueOf(server: Pick<TestServer, 'database'>, app: Pick<TestApplication, 'id'>) {
  const rows = await server.database.sql(
    `select state, count(*)::int from app_${app.id}.deliveries group by state order by state`,
  );
  return Object.fromEntries(rows as [string, number][]);
}

export async function entriesOf(server: TestServer, app: TestApplication): Promise<{ type: string; extra: object }[]> {
  const rows = await server.database.sql(`select entry from app_${app.id}.activity order by id`);
  return rows
    .map(([entry]) => JSON.parse(entry as string))
    .filter(({ type, subType }) => type === 'notification' && subType === 'send');
}
