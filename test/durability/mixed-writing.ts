// Everything that changes something at once, and whether the activity log and the data agree afterwards: for whatever is
// there, was changed or is gone exactly one entry each, and none for what is not.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import type { TestDatabase } from '../support/database.ts';
import { type Reply, type SendOptions, sendTo, type TestServer } from '../support/server.ts';

export interface Scene {
  readonly database: TestDatabase;
  /** With users of its own, and one whose users are the organization's. */
  readonly own: TestApplication;
  readonly shared: Door;
}

interface Door {
  readonly id: string;
  readonly admin: { readonly token: string };
}

const COLLECTIONS = [
  {
    name: 'Things',
    columns: [
      { name: 'Title', type: 'String', unique: true, searchable: true },
      { name: 'Count', type: 'Number' },
    ],
  },
];
const RIGHTS = { admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };
const PASSWORD = 'Secret-Passw0rd';

export async function publishScene(server: TestServer): Promise<Scene> {
  const own = await publishApplication(server, { collections: COLLECTIONS, pushNotificationsEnabled: true });
  const operator = async (path: string, body: object) => done(server.operator('POST', path, body));
  const document = { name: 'Shared', organization: 'Mixed', collections: [], activityLogEnabled: true };
  const { application } = await operator('/applications', { ...document, sharedUsersModeEnabled: true });
  const { id } = application;
  const person = { name: 'Admin', email: 'admin@example.com', password: PASSWORD };
  await operator('/organizations/Mixed/sharedUsers', person);
  const management = { managementApiAccess: true, organizationManagementApiAccess: true };
  const user = await operator(`/applications/${id}/users`, { ...RIGHTS, ...management, name: 'Admin' });
  const admin = await operator(`/applications/${id}/users/${user.id}/tokens`, { name: 'mixed' });
  return { database: server.database, own, shared: { id, admin } };
}

type Send = (method: string, path: string, options?: SendOptions) => Promise<Reply>;
type Step = (send: { own: Send; shared: Send }, scene: Scene, n: string) => Promise<void>;

/** A request whose answer the rest of the step needs; what is refused or cut ends the step. */
async function done(reply: Promise<Reply>): Promise<Reply['body']> {
  const { status, text, body } = await reply;
  if (status === 503) throw new Error('the database was away');
  assert.ok(status === 200 || status === 204, `${status} ${text}`);
  return body;
}

/** Counts stand in the data, so that afterwards it can be told how often each was changed. */
const UPDATES = 3;

const STEPS: Record<string, Step> = {
  records: async ({ own: send }, { own }, n) => {
    const { Title, Count } = own.ids.Things as Record<string, string>;
    const values = (title: string, count = 0) => ({ values: { [Title!]: string(title), [Count!]: number(count) } });
    const { id } = await done(send('POST', own.records('Things'), { json: values(n) }));
    for (let count = 1; count <= UPDATES; count++) {
      await done(send('PUT', own.records('Things', id), { json: values(n, count) }));
    }
    const batch = [0, 1, 2, 3, 4].map((member) => values(`${n} ${member}`));
    const created: { id: string }[] = await done(send('POST', own.records('Things'), { json: batch }));
    const updates = created.map((record, member) => ({ id: record.id, ...values(`${n} ${member}`, 1) }));
    await done(send('PUT', own.records('Things'), { json: updates }));
    const keyed = [values(`${n} 0`, 2), values(`${n} new`, 0)];
    await done(send('PATCH', `${own.records('Things')}/upsert/${Title}`, { json: keyed }));
    await done(send('DELETE', own.records('Things', created[1]!.id)));
    await done(send('DELETE', `${own.records('Things')}?limit=3`));
  },
  attachments: async ({ own: send }, { own }, n) => {
    const headers = { 'content-type': 'text/plain' };
    await done(send('POST', `/collections/${own.ids.Things!.id}/attachments`, { raw: n, headers }));
  },
  users: async ({ own: send }, _scene, n) => {
    const users = '/management/users';
    const person = { name: n, email: '0@example.com', password: PASSWORD, ...RIGHTS };
    const { id } = await done(send('POST', users, { json: person }));
    for (let count = 1; count <= UPDATES; count++) {
      await done(
        send('PUT', `${users}/${id}`, { json: { ...RIGHTS, email: `${count}@example.com`, disabled: false } }),
      );
    }
    await done(send('DELETE', `${users}/${id}`));
  },
  tokens: async ({ own: send }, { own }, n) => {
    const tokens = `/users/${own.admin.id}/tokens`;
    const { id } = await done(send('POST', tokens, { json: { name: n } }));
    await done(send('DELETE', `${tokens}/${id}`));
  },
  notifications: async ({ own: send }, { own }, n) => {
    await done(send('POST', `/users/${own.admin.id}/notifications`, { json: { body: n } }));
  },
  sharedUsers: async ({ shared: send }, _scene, n) => {
    const users = '/management/sharedUsers';
    const { id } = await done(send('POST', users, { json: { name: n, email: '0@example.com', password: PASSWORD } }));
    for (let count = 1; count <= UPDATES; count++) {
      await done(send('PUT', `${users}/${id}`, { json: { email: `${count}@example.com`, disabled: false } }));
    }
    await done(send('DELETE', `${users}/${id}`));
  },
};

let names = 0;

/** All kinds at once, again and again, until stopped. `refused`: what was answered that should not have been. */
export function writeMixed(address: string, scene: Scene) {
  let stopped = false;
  let answered = 0;
  const refused: string[] = [];
  const sendAs =
    ({ id, admin }: Door): Send =>
    async (method, path, options = {}) => {
      if (stopped) throw new Error('stopped');
      const reply = await sendTo(address, method, `/v1/${id}${path}`, { token: admin.token, ...options });
      answered++;
      return reply;
    };
  const send = { own: sendAs(scene.own), shared: sendAs(scene.shared) };
  const writer = async (step: Step): Promise<void> => {
    for (let n = 0; !stopped && n < 5_000; n++) {
      try {
        await step(send, scene, `${process.pid} ${++names}`);
      } catch (error) {
        if (error instanceof assert.AssertionError) refused.push(error.message);
        await pause(5);
      }
    }
  };
  const writers = Object.values(STEPS).map(writer);
  return {
    answered: () => answered,
    stop: async () => {
      stopped = true;
      await Promise.all(writers);
      return refused;
    },
  };
}

/** What the statements under way were about to do is done or undone. */
export async function untilQuiet(database: TestDatabase): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const [[busy] = []] = await database.sql(
      `select count(*)::int from pg_stat_activity where datname = current_database()
       and application_name = 'cartulary' and (state <> 'idle' or xact_start is not null)`,
    );
    if (busy === 0) return;
    await pause(10);
  }
  throw new Error('statements go on');
}

/** How many entries there are of each kind and subject: `record.create r…` → 1. */
async function counted(database: TestDatabase, applicationId: string, member: string): Promise<Map<string, number>> {
  const rows = await database.sql(
    `select (entry::json ->> 'type') || '.' || (entry::json ->> 'subType'), entry::json -> 'extra' ->> $1, count(*)::int
     from app_${applicationId}.activity where entry::json -> 'extra' ->> $1 is not null group by 1, 2`,
    [member],
  );
  return new Map((rows as [string, string, number][]).map(([kind, id, count]) => [`${kind} ${id}`, count]));
}

interface Kind {
  readonly application: keyof Omit<Scene, 'database'>;
  readonly member: string;
  readonly type: string;
  /** Identifier, how often it was changed, whether it is gone; undefined: who is gone has no row. */
  readonly rows: (scene: Scene) => string;
}

const KINDS: readonly Kind[] = [
  {
    ...{ application: 'own', member: 'attachmentId', type: 'attachment' },
    rows: ({ own }) => `select id, 0, false from app_${own.id}.attachments where state = 'available'`,
  },
  {
    ...{ application: 'own', member: 'userId', type: 'user' },
    rows: ({ own }) => `select id, case when email ~ '^\\d+@' then split_part(email, '@', 1)::int else 0 end,
      deleted_at is not null from app_${own.id}.users`,
  },
  {
    ...{ application: 'own', member: 'tokenId', type: 'token' },
    rows: ({ own }) => `select id, 0, revoked_at is not null from app_${own.id}.tokens`,
  },
  {
    ...{ application: 'own', member: 'notificationId', type: 'notification' },
    rows: ({ own }) => `select id::text, 0, false from app_${own.id}.notifications`,
  },
  {
    ...{ application: 'shared', member: 'sharedUserId', type: 'sharedUser' },
    rows: () => `select id, split_part(email, '@', 1)::int, deleted_at is not null
      from cartulary.shared_users where organization = 'Mixed' and name <> 'Admin'`,
  },
];

const FIRST: Readonly<Record<string, string>> = { notification: 'send' };
const LAST: Readonly<Record<string, string>> = { token: 'revoke' };

/** Answers how many entries there were of each kind. */
export async function assertAgreement(scene: Scene): Promise<Record<string, number>> {
  const { database, own } = scene;
  const totals: Record<string, number> = {};
  const total = (entries: ReadonlyMap<string, number>) => {
    for (const [key, count] of entries) totals[key.split(' ')[0]!] = (totals[key.split(' ')[0]!] ?? 0) + count;
  };
  for (const { application, member, type, rows } of KINDS) {
    const expected = new Map<string, number>();
    for (const [id, changed, gone] of (await database.sql(rows(scene))) as [string, number, boolean][]) {
      expected.set(`${type}.${FIRST[type] ?? 'create'} ${id}`, 1);
      if (changed > 0) expected.set(`${type}.update ${id}`, changed);
      if (gone) expected.set(`${type}.${LAST[type] ?? 'delete'} ${id}`, 1);
    }
    const all = await counted(database, scene[application].id, member);
    const found = new Map([...all].filter(([key]) => key.startsWith(`${type}.`)));
    assertSame(found, expected, type);
    total(found);
  }
  const records = await counted(database, own.id, 'recordId');
  assertSame(await recordsExpected(scene, records), records, 'record');
  total(records);
  return totals;
}

/** Of records that are gone nothing is left but their entries, which must be those of a whole life. */
async function recordsExpected(
  { database, own }: Scene,
  found: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const { id: table, Count } = own.ids.Things as Record<string, string>;
  const rows = await database.sql(
    `select id, (rec::json -> 'values' -> $1 ->> 'value')::int from app_${own.id}.${table}`,
    [Count],
  );
  const expected = new Map<string, number>();
  for (const [id, changed] of rows as [string, number][]) {
    expected.set(`record.create ${id}`, 1);
    if (changed > 0) expected.set(`record.update ${id}`, changed);
  }
  for (const key of found.keys()) {
    const [kind, id] = key.split(' ');
    if (kind !== 'record.delete' || expected.has(`record.create ${id}`)) continue;
    expected.set(key, 1);
    expected.set(`record.create ${id}`, 1);
    const updates = found.get(`record.update ${id}`);
    if (updates !== undefined) expected.set(`record.update ${id}`, Math.min(updates, UPDATES));
  }
  return expected;
}

function assertSame(found: ReadonlyMap<string, number>, expected: ReadonlyMap<string, number>, what: string): void {
  const differing = [...new Set([...found.keys(), ...expected.keys()])].filter(
    (key) => found.get(key) !== expected.get(key),
  );
  const shown = differing.slice(0, 10).map((key) => `${key}: ${found.get(key) ?? 0} and ${expected.get(key) ?? 0}`);
  assert.deepEqual(shown, [], `entries and what they should be, of ${what}`);
}
