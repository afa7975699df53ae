// A browser as the server sees it: it keeps the session's cookie, says where its requests come from, and is asked what
// it was given.

import assert from 'node:assert/strict';
import { type Person, publishApplication, type TestApplication } from './application.ts';
import { type Reply, type SendOptions, sendTo, type TestServer } from './server.ts';
import { putBack } from './times.ts';

export const PASSWORD = 'Secret-Passw0rd';
export const OTHER_PASSWORD = 'Another-Passw0rd';

export class Client {
  /** `<id>.<secret>`, or '' when there is none. */
  cookie = '';
  readonly #address: string;
  readonly #application: string;

  constructor(address: string, applicationId: string) {
    this.#address = address;
    this.#application = applicationId;
  }

  get sessionId(): string {
    return this.cookie.split('.')[0] ?? '';
  }

  /** Below the application, with the cookie, and as a page of the server's own would send it. */
  async send(method: string, path: string, options: SendOptions = {}): Promise<Reply> {
    const reply = await this.sendAs(this.cookie, method, path, options);
    const given = cookieIn(reply);
    if (given !== undefined) this.cookie = given;
    return reply;
  }

  /** With another cookie, and without keeping what comes back: as if the answer got lost. */
  sendAs(cookie: string, method: string, path: string, options: SendOptions = {}, address = this.#address) {
    const headers: Record<string, string> = { origin: address, 'sec-fetch-site': 'same-origin', ...options.headers };
    if (cookie !== '') headers.cookie = `theme=dark; cartulary_session=${cookie}`;
    return sendTo(address, method, `/v1/${this.#application}${path}`, { ...options, headers });
  }

  async signIn(userId: string, password = PASSWORD): Promise<Reply> {
    return this.send('POST', '/session', { json: { userId, password } });
  }

  async status(address = this.#address): Promise<number> {
    return (await this.sendAs(this.cookie, 'GET', '/session', {}, address)).status;
  }
}

/** What the session's cookie is set to; '' when it is taken away, and undefined when nothing is said of it. */
export function cookieIn({ headers }: Pick<Reply, 'headers'>): string | undefined {
  const line = headers.getSetCookie().find((cookie) => cookie.startsWith('cartulary_session='));
  return line === undefined ? undefined : line.slice('cartulary_session='.length, line.indexOf(';'));
}

export const attributesOf = ({ headers }: Reply): string[] =>
  (headers.getSetCookie()[0] ?? '').split('; ').slice(1).sort();

export async function signedIn(server: TestServer, app: TestApplication, person: Person): Promise<Client> {
  const client = new Client(server.address, app.id);
  const reply = await client.signIn(person.id, person.password);
  assert.equal(reply.status, 200, reply.text);
  assert.notEqual(client.cookie, '');
  return client;
}

/** Puts the times of a session back, and lets the server know. */
export async function age(server: TestServer, app: TestApplication, sessionId: string, minutes: number) {
  const table = `app_${app.id}.sessions`;
  await putBack(server.database, { table, where: ['id', sessionId], columns: ['rotated_at'] }, minutes * 60);
  server.invalidate({ application: app.id, session: sessionId });
}

export interface Entry {
  readonly type: string;
  readonly subType: string;
  readonly user: { id: string; name: string };
  readonly source: { context: string; ip: string };
  readonly extra: Record<string, string>;
}

export async function entriesOf(server: TestServer, app: TestApplication, kind: string): Promise<Entry[]> {
  const rows = await server.database.sql(`select entry from app_${app.id}.activity order by id`);
  const entries = rows.map(([entry]) => JSON.parse(String(entry)) as Entry);
  return entries.filter(({ type, subType }) => `${type}.${subType}` === kind);
}

/** An application whose people are shared users of an organization, with one of them in it. */
export async function sharedApplication(server: TestServer, organization: string) {
  const made = await server.operator('PUT', `/organizations/${organization}`, { singleSignOn: null });
  assert.equal(made.status, 200, made.text);
  const shared: Record<string, string> = {};
  for (const name of ['Admin', 'Shared']) {
    const email = `${name}@shared.example`;
    const body = { name, email, password: PASSWORD };
    const reply = await server.operator('POST', `/organizations/${organization}/sharedUsers`, body);
    assert.equal(reply.status, 200, reply.text);
    shared[name] = reply.body.id;
  }
  const app = await publishShared(server, organization);
  return { app, shared };
}

async function publishShared(server: TestServer, organization: string) {
  const document = { name: `At ${organization}`, organization, sharedUsersModeEnabled: true, activityLogEnabled: true };
  const published = await server.operator('POST', '/applications', { ...document, collections: [] });
  assert.equal(published.status, 200, published.text);
  const id: string = published.body.application.id;
  const users: Record<string, string> = {};
  for (const name of ['Admin', 'Shared']) {
    const admin = name === 'Admin';
    const flags = { admin, managementApiAccess: admin, organizationManagementApiAccess: admin };
    const body = { name, apiAccess: true, profile: { name: 'Standard' }, ...flags };
    const reply = await server.operator('POST', `/applications/${id}/users`, body);
    assert.equal(reply.status, 200, reply.text);
    users[name] = reply.body.id;
  }
  return { id, users };
}

export { publishApplication };
