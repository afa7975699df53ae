// An organization with single sign-on, an application of it and people, and the way to the provider and back.

import assert from 'node:assert/strict';
import type { Observation } from '../../src/events/events.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';
import { Browser, type Page } from './browser.ts';

export const isCallback = (url: URL): boolean => url.pathname.startsWith('/signOn/callback/');
export const beginPath = (applicationId: string, query = ''): string =>
  `/v1/${applicationId}/session/singleSignOn${query}`;

/** What has to be registered at a provider that is still to be started. */
export const redirectAddressOf = (server: TestServer, organization: string): Promise<string> =>
  switchOn(server, organization, { issuer: 'https://login.example', clientId: 'id', clientSecret: 'hush' });

/** Answers the address that has to be registered. */
export async function switchOn(server: TestServer, organization: string, singleSignOn: object | null): Promise<string> {
  const put = await server.operator('PUT', `/organizations/${encodeURIComponent(organization)}`, { singleSignOn });
  assert.equal(put.status, 200, put.text);
  return put.body.singleSignOn?.redirectAddress ?? '';
}

/** Its people have passwords that they cannot use, unless single sign-on is switched off again. */
export async function publishSignedOn(
  server: TestServer,
  singleSignOn: object,
  document: { organization?: string } & Record<string, unknown> = {},
): Promise<TestApplication & { organization: string; redirectAddress: string }> {
  const { organization = `Org ${crypto.randomUUID()}` } = document;
  const app = await publishApplication(server, { collections: [], ...document, organization });
  const redirectAddress = await switchOn(server, organization, singleSignOn);
  return { ...app, organization, redirectAddress };
}

/** What the browser was told to ask the provider for, and the browser that has the cookie for it. */
export async function begin(server: TestServer, applicationId: string, query = '') {
  const browser = new Browser();
  const page = await browser.ask(server.address + beginPath(applicationId, query));
  assert.equal(page.status, 302, page.text);
  const location = new URL(page.headers.get('location') ?? '');
  const { state = '', nonce = '', redirect_uri = '' } = Object.fromEntries(location.searchParams);
  /** The address to which the provider sends the browser back. */
  const back = (query: Record<string, string>) => `${redirect_uri}?${new URLSearchParams(query)}`;
  return { browser, page, location, state, nonce, back };
}

export interface SessionRow {
  readonly userId: string;
  readonly method: string;
}

export async function sessionsOf(server: TestServer, applicationId: string): Promise<SessionRow[]> {
  const rows = await server.database.sql(
    `select user_id, method from app_${applicationId}.sessions order by created_at`,
  );
  return (rows as [string, string][]).map(([userId, method]) => ({ userId, method }));
}

export async function loginsOf(server: TestServer, applicationId: string) {
  const rows = await server.database.sql(`select entry from app_${applicationId}.activity order by id`);
  return rows
    .map((row) => JSON.parse(row[0] as string) as { type: string; subType: string; source: object; user: object })
    .filter(({ type }) => type === 'session');
}

/** Refusals as the log has them. */
export function refusals(): { observe: (o: Observation) => void; reasons: string[] } {
  const reasons: string[] = [];
  return { reasons, observe: (o) => o.event === 'signOn.refused' && reasons.push(o.reason) };
}

export function assertRefused(page: Page, status: number, body: object, why: string): void {
  assert.equal(page.status, status, `${why}: ${page.text}`);
  assert.deepEqual(JSON.parse(page.text), body, why);
  assert.equal(page.headers.get('location'), null, why);
  assert.deepEqual(
    page.headers.getSetCookie().filter((line) => line.startsWith('cartulary_session')),
    [],
    why,
  );
}
