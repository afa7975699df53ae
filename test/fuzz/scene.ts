// What the inputs are sent to: an application with every type of column, people of every right, and what belongs to them.
// Inputs destroy it, so it is made anew whenever something of it is missing.

import assert from 'node:assert/strict';
import { PATTERNS } from '../../src/wire/identifiers.ts';
import type { Random } from '../search/random.ts';
import { pngOf } from '../support/images.ts';
import { type Reply, type SendOptions, sendTo } from '../support/server.ts';
import type { Schema, Vocabulary } from './shapes.ts';
import { WORDS } from './words.ts';

export const ROLES = ['operator', 'named', 'admin', 'user', 'session', 'guest', 'nobody'] as const;
export type Role = (typeof ROLES)[number];

export interface Target {
  readonly address: string;
  readonly operatorKey: string;
}

export interface OpenApi {
  readonly paths: Record<string, Record<string, DocumentOperation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

export interface DocumentOperation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema?: Schema }> };
}

export interface Scene {
  readonly document: OpenApi;
  /** The headers that a role comes with. */
  readonly credentials: Readonly<Record<Role, Readonly<Record<string, string>>>>;
  readonly vocabulary: Vocabulary;
  /** A document that publishes the application that may be destroyed. */
  readonly publishDocument: object;
  /** What means something in a path. `spare`: what may be destroyed. */
  readonly pathValue: (random: Random, parameter: string, spare: boolean) => string;
  /** Whether every role may still come, and the first record is there. */
  alive(): Promise<boolean>;
  remove(): Promise<void>;
}

const PASSWORD = 'Secret-Passw0rd';
const SIMPLE = ['String', 'Number', 'Boolean', 'DateTime', 'Date', 'Time', 'User', 'Attachment'] as const;

const column = (type: string, index: number, flags: object) => ({
  id: `c${type.toLowerCase().slice(0, 5).padEnd(5, '0')}${String(index).padStart(2, '0')}`,
  name: type,
  type,
  ...flags,
});

const COLUMNS = [
  ...SIMPLE.map((type, index) => column(type, index, { sortable: true, searchable: true })),
  column('Location', 20, {}),
  column('Object', 21, { scheme: { keys: SIMPLE.slice(0, 6).map((type) => ({ name: type, type })) } }),
  column('Array', 22, { scheme: { element: { type: 'String' } }, searchable: true }),
  { id: 'ckey0000', name: 'Key', type: 'String', unique: true, searchable: true, sortable: true },
];
const REFERENCES = [
  { id: 'crefstr0', name: 'Thing', type: 'ReferenceString', column: 'String' },
  { id: 'crefnum0', name: 'Amount', type: 'ReferenceNumber', column: 'Number' },
  { id: 'crefuse0', name: 'Owner', type: 'ReferenceUser', column: 'User' },
].map(({ column: referred, ...rest }) => ({
  ...rest,
  sortable: true,
  searchable: true,
  scheme: { collection: 'Things', column: referred },
}));

/** An identifier belongs to one column of the application. */
const renamed = (columns: readonly { id: string }[], letter: string) =>
  columns.map((each) => ({ ...each, id: `${each.id.slice(0, -1)}${letter}` }));

const COLLECTIONS = [
  { id: 'tthings0', name: 'Things', columns: COLUMNS },
  {
    id: 'tscrap00',
    name: 'Scrap',
    columns: [...renamed(COLUMNS.slice(0, 2), 's'), ...renamed(COLUMNS.slice(-1), 's'), ...REFERENCES],
  },
  {
    id: 'town0000',
    name: 'Own',
    readAccessType: 'creatorOnly',
    writeAccessType: 'creatorOnly',
    columns: renamed(COLUMNS.slice(0, 3), 'o'),
  },
];

interface Maker {
  readonly send: (method: string, path: string, options?: SendOptions) => Promise<Reply>;
  readonly operator: (method: string, path: string, json?: unknown) => Promise<Reply>;
}

const identifierOf = (letter: string, number: number): string => `p${letter}${String(number).padStart(25, '0')}`;

async function done(sent: Promise<Reply>): Promise<Reply> {
  const reply = await sent;
  assert.ok(reply.status < 300, `the scene could not be made: ${reply.status} ${reply.text}`);
  return reply;
}

/** `shared`: with shared users, and with teams. */
export async function openScene({ address, operatorKey }: Target, number: number, shared: boolean): Promise<Scene> {
  const send: Maker['send'] = (method, path, options) => sendTo(address, method, path, options);
  const operator: Maker['operator'] = (method, path, json) =>
    send(method, `/operator/v1${path}`, { token: operatorKey, ...(json === undefined ? {} : { json }) });
  const maker = { send, operator };
  const organization = `Fuzz ${number}`;
  await done(operator('PUT', `/organizations/${encodeURIComponent(organization)}`, { singleSignOn: null }));
  const ids = [identifierOf('a', number), identifierOf('b', number)];
  const documents = ids.map((id, index) => ({
    ...{ id, name: `Fuzz ${index}`, organization, collections: COLLECTIONS, teams: shared ? ['North'] : [] },
    ...{ activityLogEnabled: true, pushNotificationsEnabled: true },
    ...(index === 0 ? { sharedUsersModeEnabled: shared, teamsModeEnabled: shared } : {}),
  }));
  for (const document of documents) await done(operator('POST', '/applications', document));
  const [applicationId = '', spareId = ''] = ids;
  const people = new People(maker, { applicationId, organization, shared });
  const rights = { admin: true, managementApiAccess: true, organizationManagementApiAccess: true };
  const admin = await people.add('Admin', rights);
  const user = await people.add('User');
  const guest = await people.add('Guest', { apiAccess: false });
  const spare = await people.add('Spare');
  const named = await people.add('Named', rights);
  const inSpare = await new People(maker, { applicationId: spareId, organization, shared: false }).add('Admin', rights);
  await done(operator('PUT', `/applications/${applicationId}/users/${named.id}/operator`));
  const ours = { origin: address, 'sec-fetch-site': 'same-origin' };
  const cookieOf = async (userId: string) => ({ ...ours, cookie: await signIn(maker, applicationId, userId) });
  const sessions = { named: await cookieOf(named.id), session: await cookieOf(user.id) };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const credentials: Scene['credentials'] = {
    ...{
      operator: bearer(operatorKey),
      admin: bearer(admin.token),
      user: bearer(user.token),
      guest: bearer(guest.token),
    },
    ...sessions,
    nobody: {},
  };
  const stock = await fill(maker, applicationId, admin.token);
  const { body: document } = await done(send('GET', `/v1/${applicationId}/openapi.json`, { token: admin.token }));
  const sharedUsers = people.sharedUserIds;
  const known: Readonly<Record<string, readonly string[]>> = {
    ...{ applicationId: [applicationId], collectionId: COLLECTIONS.map(({ id }) => id), organization: [organization] },
    ...{ signedInTo: [applicationId], name: [organization], version: ['1'], userId: [user.id, admin.id, guest.id] },
    ...{ recordId: stock.records, attachmentId: stock.attachments, viewId: [stock.view], sharedUserId: sharedUsers },
    ...{ columnId: COLUMNS.map(({ id }) => id), upsertKeyColumnId: ['ckey0000', 'ckey000s'], tokenId: [user.tokenId] },
    ...{ sessionId: ['0123456789abcdef'], deviceId: ['0123456789abcdef'] },
  };
  const spares: Readonly<Record<string, readonly string[]>> = {
    ...{
      applicationId: [spareId],
      collectionId: ['tscrap00'],
      userId: [spare.id, inSpare.id],
      tokenId: [spare.tokenId],
    },
    ...{ recordId: stock.records.slice(1), sharedUserId: sharedUsers.slice(-2) },
  };
  const identifiers = Object.keys(PATTERNS).flatMap((name) => known[name] ?? []);
  const alive = async () => {
    const replies = await Promise.all([
      ...[admin, user, guest].map(({ token }) => send('GET', `/v1/${applicationId}/session`, { token })),
      ...Object.values(sessions).map((headers) => send('GET', `/v1/${applicationId}/session`, { headers })),
      send('GET', `/v1/${applicationId}/collections/tthings0/records/${stock.records[0]}`, { token: admin.token }),
      operator('GET', `/applications/${spareId}`),
    ]);
    return replies.every(({ status }) => status === 200);
  };
  return {
    document,
    credentials,
    vocabulary: vocabularyOf(document, identifiers),
    publishDocument: documents[1] ?? {},
    pathValue: (random, parameter, mayGo) => {
      const values = (mayGo && random.chance(0.95) ? spares[parameter] : undefined) ?? known[parameter] ?? [];
      return values.length === 0 ? 'unknown' : random.pick(values);
    },
    alive,
    remove: () => removeAll(operator),
  };
}

/** Also the applications that inputs have published. */
async function removeAll(operator: Maker['operator']): Promise<void> {
  const { body } = await done(operator('GET', '/applications'));
  for (const { id } of body as { id: string }[]) {
    const { status } = await operator('DELETE', `/applications/${id}`);
    assert.ok(status === 204 || status === 404, `an application could not be removed: ${status}`);
  }
}

class People {
  readonly sharedUserIds: string[] = [];
  readonly #maker: Maker;
  readonly #at: { applicationId: string; organization: string; shared: boolean };

  constructor(maker: Maker, at: { applicationId: string; organization: string; shared: boolean }) {
    this.#maker = maker;
    this.#at = at;
  }

  async add(name: string, flags: object = {}): Promise<{ id: string; token: string; tokenId: string }> {
    const { operator } = this.#maker;
    const { applicationId, organization, shared } = this.#at;
    const credentials = { email: `${name}@fuzz.example`, password: PASSWORD };
    if (shared) {
      const path = `/organizations/${encodeURIComponent(organization)}/sharedUsers`;
      this.sharedUserIds.push((await done(operator('POST', path, { name, ...credentials }))).body.id);
    }
    const rights = {
      admin: false,
      apiAccess: true,
      managementApiAccess: false,
      profile: { name: 'Standard' },
      ...flags,
    };
    const own = shared ? { team: { name: 'North' }, teamLeader: false } : credentials;
    const users = `/applications/${applicationId}/users`;
    const user = await done(operator('POST', users, { name, ...rights, ...own }));
    const token = await done(operator('POST', `${users}/${user.body.id}/tokens`, { name: 'fuzz' }));
    return { id: user.body.id, token: token.body.token, tokenId: token.body.id };
  }
}

async function signIn({ send }: Maker, applicationId: string, userId: string): Promise<string> {
  const json = { userId, password: PASSWORD };
  const { headers } = await done(send('POST', `/v1/${applicationId}/session`, { json }));
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

async function fill({ send }: Maker, applicationId: string, token: string) {
  const at = `/v1/${applicationId}/collections`;
  const records = Array.from({ length: 20 }, (_, index) => ({
    values: {
      cstrin00: { type: 'String', value: `Text ${index % 7}` },
      cnumbe01: { type: 'Number', value: index },
      ckey0000: { type: 'String', value: `key ${index}` },
    },
  }));
  const things = await done(send('POST', `${at}/tthings0/records`, { token, json: records }));
  const ids = (things.body as { id: string }[]).map(({ id }) => id);
  const scrap = ids.map((recordId, index) => {
    const reference = { type: 'ReferenceString', collectionId: 'tthings0', columnId: 'cstrin00', recordId };
    return { values: { ckey000s: { type: 'String', value: `key ${index}` }, crefstr0: reference } };
  });
  await done(send('POST', `${at}/tscrap00/records`, { token, json: scrap }));
  const attachments: string[] = [];
  for (const [type, raw] of [
    ['image/png', pngOf(8, 8, 100)],
    ['text/html', Buffer.from('<script>1</script>')],
  ] as const) {
    const headers = { 'content-type': type, 'content-disposition': 'attachment; filename="a"' };
    attachments.push((await done(send('POST', `${at}/tthings0/attachments`, { token, raw, headers }))).body.id);
  }
  const json = { name: 'View', settings: {} };
  const view = await done(send('POST', `${at}/tthings0/views`, { token, json }));
  return { records: ids, attachments, view: view.body.id as string };
}

function vocabularyOf({ components }: OpenApi, identifiers: readonly string[]): Vocabulary {
  const candidates = [...identifiers, ...Object.values(WORDS).flat()];
  return {
    resolve: (reference) => components.schemas[reference.split('/').at(-1) ?? ''] ?? {},
    textFor: (random, name) => {
      const words = name.endsWith('Id') ? identifiers : WORDS[name];
      return words === undefined || random.chance(0.1) ? undefined : random.pick(words);
    },
    textLike: (random, pattern) => {
      const fitting = candidates.filter((text) => new RegExp(pattern, 'u').test(text));
      return fitting.length === 0 ? undefined : random.pick(fitting);
    },
  };
}
