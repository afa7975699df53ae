// Applications in all four combinations of modes, with an admin who may do everything, and what a test compares of them.

import assert from 'node:assert/strict';
import pg from 'pg';
import type { UserModes } from '../../src/wire/users.ts';
import {
  type Reply,
  type SendOptions,
  type ServerSettings,
  startTestServer,
  type TestServer,
} from '../support/server.ts';

export const PASSWORD = 'Secret-Passw0rd';
export const RIGHTS = { admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };
export const EVERY_RIGHT = {
  admin: true,
  apiAccess: true,
  managementApiAccess: true,
  organizationManagementApiAccess: true,
  profile: { name: 'Standard' },
};
export const MEMBERSHIP = { team: { name: 'Tokyo' }, teamLeader: false };

export interface Scene extends TestServer {
  /** On one connection that stays: these tests look often. */
  sql(text: string, params?: unknown[]): Promise<unknown[][]>;
}

/** Closing it also looks for what failed. */
export async function openScene(settings: ServerSettings = {}): Promise<Scene> {
  const server = await startTestServer({ connectionsMax: 12, ...settings });
  const client = new pg.Client(server.database.connection);
  await client.connect();
  return {
    ...server,
    sql: async (text, params = []) => (await client.query({ text, values: params, rowMode: 'array' })).rows,
    close: async () => {
      await client.end();
      await server.close();
    },
  };
}

export interface Member {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

export interface Place {
  readonly id: string;
  readonly modes: UserModes;
  readonly admin: Member;
  /** Below `/v1/{applicationId}`, as the admin unless another token is given. */
  send(method: string, path: string, options?: SendOptions): Promise<Reply>;
  /** The operator's door: any rights. In shared-users mode a shared user is made first where there is none. */
  add(name: string, rights?: object): Promise<Member>;
  tokenOf(userId: string): Promise<string>;
  /** A body that creates a user here. */
  newUser(name: string, more?: object): Record<string, unknown>;
  /** A body that leaves a user without rights here. */
  userUpdate(more?: object): Record<string, unknown>;
  /** Everything stored of users, how many entries the log has, and the last of them. */
  stored(): Promise<{ users: string; entries: number; last: string }>;
  /** The log's lines, oldest first. */
  log(): Promise<{ type: string; subType: string; user: object; extra: Record<string, string> }[]>;
}

export const ALL_MODES: readonly UserModes[] = [false, true].flatMap((sharedUsersModeEnabled) =>
  [false, true].map((teamsModeEnabled) => ({ sharedUsersModeEnabled, teamsModeEnabled })),
);

export const titleOf = ({ sharedUsersModeEnabled, teamsModeEnabled }: UserModes): string =>
  `${sharedUsersModeEnabled ? 'with' : 'without'} shared users, ${teamsModeEnabled ? 'with' : 'without'} teams`;

export async function addSharedUser(server: TestServer, organization: string, body: object): Promise<string> {
  const reply = await server.operator('POST', `/organizations/${encodeURIComponent(organization)}/sharedUsers`, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.id;
}

export async function openPlace(
  server: Scene,
  modes: UserModes,
  { organization = 'Acme', ...document }: { organization?: string } & Record<string, unknown> = {},
): Promise<Place> {
  const published = await server.operator('POST', '/applications', {
    name: titleOf(modes),
    organization,
    activityLogEnabled: true,
    profiles: ['Standard', 'Visitor'],
    teams: modes.teamsModeEnabled ? ['Tokyo', 'Osaka'] : [],
    collections: [],
    ...modes,
    ...document,
  });
  assert.equal(published.status, 200, published.text);
  const { id } = published.body.application;
  const { sharedUsersModeEnabled, teamsModeEnabled } = modes;
  const membership = teamsModeEnabled ? MEMBERSHIP : {};
  const newUser = (name: string, more: object = {}) => ({
    name,
    ...(sharedUsersModeEnabled ? {} : { email: 'person@example.com', password: PASSWORD }),
    ...RIGHTS,
    ...membership,
    ...more,
  });
  const tokenOf = async (userId: string) => {
    const reply = await server.operator('POST', `/applications/${id}/users/${userId}/tokens`, { name: 'test' });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.token as string;
  };
  const add = async (name: string, rights: object = {}): Promise<Member> => {
    if (sharedUsersModeEnabled) {
      const made = await server.operator('POST', `/organizations/${encodeURIComponent(organization)}/sharedUsers`, {
        name,
        email: 'shared@example.com',
        password: PASSWORD,
      });
      assert.ok(made.status === 200 || made.body.code === 'USER_NAME_TAKEN', made.text);
    }
    const reply = await server.operator('POST', `/applications/${id}/users`, newUser(name, rights));
    assert.equal(reply.status, 200, reply.text);
    return { id: reply.body.id, name, token: await tokenOf(reply.body.id) };
  };
  const admin = await add('Admin', EVERY_RIGHT);
  return {
    id,
    modes,
    admin,
    add,
    tokenOf,
    newUser,
    send: (method, path, options = {}) => server.send(method, `/v1/${id}${path}`, { token: admin.token, ...options }),
    userUpdate: (more = {}) => ({
      ...(sharedUsersModeEnabled ? {} : { email: 'person@example.com' }),
      ...RIGHTS,
      ...membership,
      disabled: false,
      ...more,
    }),
    stored: async () => {
      const rows = await server.sql(
        `select (select string_agg(u::text, ' ' order by id) from app_${id}.users u)
           || (select coalesce(string_agg(s::text, ' ' order by id), '') from cartulary.shared_users s),
         (select count(*)::int from app_${id}.activity),
         (select entry from app_${id}.activity order by id desc limit 1)`,
      );
      const [users, entries, last] = rows[0] as [string, number, string];
      return { users, entries, last };
    },
    log: async () => {
      const rows = await server.sql(`select entry from app_${id}.activity order by id`);
      return rows.map(([entry]) => JSON.parse(String(entry)));
    },
  };
}

export function assertRefused(reply: Reply, status: number, code: string, property?: string): void {
  assert.equal(`${reply.status} ${reply.body?.code}`, `${status} ${code}`, reply.text.slice(0, 300));
  if (property !== undefined) {
    assert.equal(reply.body.params.property, property, reply.text.slice(0, 300));
    assert.equal(typeof reply.body.params.reason, 'string');
  }
  assert.ok(!reply.text.includes(PASSWORD), 'a password was repeated');
}

export const basic = (userId: string, password: string): string =>
  `Basic ${Buffer.from(`${userId}:${password}`).toString('base64')}`;
