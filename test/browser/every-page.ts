// An application whose every name and value is hostile, and every page of the console that shows them.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestServer } from '../support/server.ts';

/** What runs would change the title. */
const RUN = "document.title='ran'";
/** Part of everything below: where it stands as text, nothing of it was taken for markup. */
export const MARK = '"><img src=x onerror=';
/** For names, which are short. The mark in it turns the direction of what follows. */
export const HOSTILE_NAME = `${MARK}${RUN}>\u202Eevil`;
export const HOSTILE = `${HOSTILE_NAME}<script>${RUN}</script><svg onload=${RUN}>{{7*7}} javascript:${RUN} =1+1`;
const LONG = 'x'.repeat(400);
const ADDRESS = `javascript:${RUN}`;
const DAY = '2026-03-10';

/** A column of each type, all with a hostile name. */
const named = (name: string) => `${name} ${HOSTILE_NAME}`;
const INDEXED = { searchable: true, sortable: true };
const COLUMNS = [
  { name: named('Title'), type: 'String', ...INDEXED },
  { name: named('Status'), type: 'String', ...INDEXED },
  { name: named('Amount'), type: 'Number', ...INDEXED },
  { name: named('Passed'), type: 'Boolean', ...INDEXED },
  { name: named('Day'), type: 'Date', ...INDEXED },
  { name: named('Hour'), type: 'Time', ...INDEXED },
  { name: named('Moment'), type: 'DateTime', ...INDEXED },
  { name: named('Person'), type: 'User', ...INDEXED },
  { name: named('Place'), type: 'Location', searchable: true },
  { name: named('File'), type: 'Attachment', searchable: true },
  { name: named('Parts'), type: 'Object', scheme: { keys: [{ name: named('Key'), type: 'String' }] } },
  { name: named('Words'), type: 'Array', scheme: { element: { type: 'String' } } },
];
const OTHERS = named('Others');
const REFERENCES = [
  { name: named('Text'), type: 'ReferenceString', of: 'Title' },
  { name: named('Number'), type: 'ReferenceNumber', of: 'Amount' },
  { name: named('User'), type: 'ReferenceUser', of: 'Person' },
].map(({ of, ...column }) => ({ ...column, scheme: { collection: OTHERS, column: named(of) }, searchable: true }));
const THINGS = named('Things');

export interface HostileApplication {
  readonly app: TestApplication;
  readonly things: string;
  readonly record: string;
  readonly person: string;
  column(name: string): string;
}

export async function publishHostile(server: TestServer): Promise<HostileApplication> {
  const app = await publishApplication(server, {
    name: named('Application'),
    organization: named('Organization'),
    pushNotificationsEnabled: true,
    limits: { 'records-read': 1_000_000 },
    profiles: ['Standard', named('Profile')],
    collections: [
      { name: THINGS, columns: [...COLUMNS, ...REFERENCES] },
      { name: OTHERS, columns: COLUMNS },
    ],
  });
  await turnTeamsOn(server, app);
  const naming = await server.operator('PUT', `/applications/${app.id}/users/${app.admin.id}/operator`);
  assert.equal(naming.status, 204, naming.text);
  const member = { profile: { name: named('Profile') }, team: { name: named('Team') }, teamLeader: true };
  const person = await app.addPerson(named('Person'), member);
  const column = (name: string, collection = THINGS) => app.ids[collection]?.[named(name)] ?? '';
  const other = await add(app, OTHERS, await values(app, OTHERS, { person: person.id, title: HOSTILE }));
  const reference = (of: string) => ({
    collectionId: app.ids[OTHERS]!.id,
    columnId: column(of, OTHERS),
    recordId: other,
  });
  const references = {
    [column('Text')]: { type: 'ReferenceString', ...reference('Title') },
    [column('Number')]: { type: 'ReferenceNumber', ...reference('Amount') },
    [column('User')]: { type: 'ReferenceUser', ...reference('Person') },
  };
  const things = { person: person.id };
  await add(app, THINGS, { ...(await values(app, THINGS, { ...things, title: LONG })), ...references });
  await add(app, THINGS, { ...(await values(app, THINGS, { ...things, title: ADDRESS })), ...references });
  const record = await add(app, THINGS, {
    ...(await values(app, THINGS, { ...things, title: HOSTILE })),
    ...references,
  });
  const view = { name: HOSTILE_NAME, shared: true, settings: { search: HOSTILE_NAME } };
  const saved = await app.send('POST', `/collections/${app.ids[THINGS]!.id}/views`, { json: view });
  assert.equal(saved.status, 200, saved.text);
  return { app, things: app.ids[THINGS]!.id ?? '', record, person: person.id, column };
}

/** Later, so that the admin needs no team. */
async function turnTeamsOn(server: TestServer, { id }: TestApplication): Promise<void> {
  const { body } = await server.operator('GET', `/applications/${id}`);
  const teams = { teamsModeEnabled: true, teams: [named('Team')] };
  const published = await server.operator('POST', '/applications', { ...body, ...teams });
  assert.equal(published.status, 200, published.text);
}

async function add(app: TestApplication, collection: string, record: object): Promise<string> {
  const made = await app.send('POST', app.records(collection), { json: { values: record } });
  assert.equal(made.status, 200, made.text);
  return made.body.id;
}

/** A value of each type, hostile wherever the type takes text. */
async function values(
  app: TestApplication,
  collection: string,
  { person, title }: { person: string; title: string },
): Promise<Record<string, object>> {
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const name = encodeURIComponent(`${HOSTILE_NAME}.png`);
  const uploaded = await app.send('POST', `/collections/${app.ids[collection]!.id}/attachments`, {
    raw: picture,
    headers: { 'content-type': 'image/png', 'content-disposition': `attachment; filename*=UTF-8''${name}` },
  });
  assert.equal(uploaded.status, 200, uploaded.text);
  const column = (of: string) => app.ids[collection]?.[named(of)] ?? '';
  return {
    [column('Title')]: string(title),
    [column('Status')]: string(HOSTILE),
    [column('Amount')]: number(-1e15),
    [column('Passed')]: { type: 'Boolean', value: true },
    [column('Day')]: { type: 'Date', value: DAY },
    [column('Hour')]: { type: 'Time', value: '09:30:00' },
    [column('Moment')]: { type: 'DateTime', value: `${DAY}T09:30:00Z` },
    [column('Person')]: { type: 'User', id: person },
    [column('Place')]: { type: 'Location', latitude: 35.6, longitude: 139.7 },
    [column('File')]: { type: 'Attachment', ...uploaded.body },
    [column('Parts')]: { type: 'Object', value: { [named('Key')]: string(HOSTILE) } },
    [column('Words')]: { type: 'Array', value: [string(HOSTILE), string(LONG)] },
  };
}

export interface EveryPage {
  readonly name: string;
  /** Below the address of the application, or of the console. */
  readonly path: (hostile: HostileApplication) => string;
  /** Not a page of the application. */
  readonly isOutside?: true;
  /** It shows no strings of people. */
  readonly isOurs?: true;
  /** What is on the page when it shows everything. */
  readonly ready: string;
  /** Done before the page is looked at. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Of windows that it is looked at in, where they are not those of a desk and a phone. */
  readonly widths?: readonly number[];
}

export const addressOf = (server: TestServer, hostile: HostileApplication, { path, isOutside }: EveryPage): string =>
  `${server.address}/console${isOutside === true ? '' : `/${hostile.app.id}`}${path(hostile)}`;

const FILE = {
  name: `${HOSTILE_NAME}.csv`,
  mimeType: 'text/csv',
  buffer: Buffer.from(`"${named('Title').replaceAll('"', '""')}",=1+1\n"${HOSTILE.replaceAll('"', '""')}",${LONG}\n`),
};
const GRID = '.grid-row .grid-cell-link';

export const EVERY_PAGE: readonly EveryPage[] = [
  { name: 'grid', path: ({ things }) => `/${things}`, ready: GRID },
  {
    name: 'search',
    path: ({ things }) => `/${things}?search=${encodeURIComponent(HOSTILE)}`,
    ready: '.search-chips',
  },
  { name: 'cards', path: ({ things }) => `/${things}?view=cards`, ready: '.card img' },
  {
    name: 'calendar',
    path: ({ things, column }) => `/${things}?view=calendar&at=${DAY}&by=${column('Day')}`,
    ready: '.day',
  },
  {
    name: 'week',
    path: ({ things, column }) => `/${things}?view=calendar&at=${DAY}&by=${column('Moment')}:week`,
    ready: '.day',
  },
  { name: 'board', path: ({ things, column }) => `/${things}?view=board&by=${column('Status')}`, ready: '.board-card' },
  {
    name: 'board of people',
    path: ({ things, column }) => `/${things}?view=board&by=${column('Person')}`,
    ready: '.board-card',
  },
  {
    name: 'map',
    path: ({ things }) => `/${things}?view=map`,
    ready: '.marker',
    prepare: async (page) => {
      await page.locator('.marker').first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'chart',
    path: ({ things, column }) => `/${things}?view=chart&by=${column('Status')}&measure=sum:${column('Amount')}`,
    ready: '.recharts-surface',
  },
  { name: 'record', path: ({ things, record }) => `/${things}/${record}`, ready: '.record-sheet h1' },
  {
    name: 'printed record',
    path: ({ things, record }) => `/${things}/${record}`,
    ready: '.record-sheet h1',
    prepare: (page) => page.emulateMedia({ media: 'print' }),
    // Paper is wider than a phone.
    widths: [1200, 794],
  },
  { name: 'form', path: ({ things, record }) => `/${things}/${record}?edit=true`, ready: '.record-form input' },
  { name: 'referrers', path: ({ things, record }) => `/${things}/${record}?tab=referrers`, ready: '[role=tabpanel]' },
  {
    name: 'activity of a record',
    path: ({ things, record }) => `/${things}/${record}?tab=activity`,
    ready: '[role=tabpanel]',
  },
  { name: 'new record', path: ({ things }) => `/${things}/new`, ready: '.record-form input' },
  {
    name: 'import',
    path: ({ things }) => `/${things}/import`,
    ready: 'main button',
    prepare: async (page) => {
      await page.locator('input[type=file]').setInputFiles(FILE);
      await page.getByRole('table').first().waitFor();
    },
  },
  { name: 'export', path: ({ things }) => `/${things}#export`, ready: '[role=dialog]' },
  {
    name: 'menu of views',
    path: ({ things }) => `/${things}`,
    ready: GRID,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(View|ビュー)/ }).click();
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'palette',
    path: ({ things }) => `/${things}`,
    ready: GRID,
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('textbox').fill(MARK);
      await page.getByRole('dialog').getByRole('menuitem').first().waitFor();
    },
  },
  {
    name: 'suggestions',
    path: ({ things }) => `/${things}`,
    ready: GRID,
    prepare: async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('Title');
      await page.getByRole('option').first().waitFor();
    },
  },
  { name: 'people', path: () => '/people', ready: '.people-rows' },
  { name: 'teams', path: () => '/people/teams', ready: '.plain-table' },
  { name: 'profiles', path: () => '/people/profiles', ready: '.plain-table' },
  { name: 'person', path: ({ person }) => `/people/users/${person}`, ready: '.person-head' },
  { name: 'new person', path: () => '/people/new', ready: '.record-form input' },
  { name: 'many people', path: () => '/people/many', ready: '.many-text' },
  { name: 'oneself', path: () => '/me', ready: 'main h1' },
  { name: 'activity', path: () => '/activity', ready: '.activity-row' },
  { name: 'notifications', path: () => '/notifications', ready: 'main [role=combobox]' },
];
