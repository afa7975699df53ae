// What the operations of the tables are done in and with: an application, one with shared users, and what has to be there first.

import assert from 'node:assert/strict';
import type { TestApplication } from '../support/application.ts';
import { number, string } from '../support/application.ts';
import type { Reply, SendOptions, TestServer } from '../support/server.ts';

export interface World {
  readonly server: TestServer;
  readonly app: TestApplication;
  /** One whose users are the organization's. */
  readonly shared: { readonly id: string; readonly admin: { readonly id: string; readonly token: string } };
  /** In the application, as the admin. */
  readonly send: Send;
  readonly sendShared: Send;
  /** With the cookie of a session that was opened for it, of a user of its own. */
  signIn(): Promise<{ readonly userId: string; readonly send: Send }>;
  /** What is prepared for an operation, which must be there. */
  ready(reply: Promise<Reply>): Promise<Reply['body']>;
  name(): string;
}

type Send = (method: string, path: string, options?: SendOptions) => Promise<Reply>;

export interface Deed {
  /** `type.subType` and which members `extra` has, for each entry in order. */
  readonly entries: readonly (readonly [kind: string, ...members: string[]])[];
  readonly application?: 'shared';
  /** `api` unless it says otherwise. */
  readonly context?: 'api' | 'console' | 'operator';
  /** The operation, done. */
  readonly run: (world: World) => Promise<Reply>;
  /** By the status and code of the answer. */
  readonly refused?: Readonly<Record<string, (world: World) => Promise<Reply>>>;
}

/** Changes nothing that the log tells of. */
export const SILENT = 'silent';
/** Needs a provider or a mail server, and is looked at where there is one. */
export const ELSEWHERE = 'elsewhere';

export const PASSWORD = 'Secret-Passw0rd';
export const RIGHTS = { admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };
export const TUS = { 'tus-resumable': '1.0.0' };
export const OCTETS = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
export const NO_RECORD = `r${'0'.repeat(26)}`;
export const NO_ATTACHMENT = `a${'0'.repeat(26)}`;
export const NO_USER = 'u0000000';
export const NO_SHARED_USER = `u${'0'.repeat(26)}`;
export const NO_TOKEN = '0123456789abcdef';

export const values = ({ app }: World, title: string, count: unknown = number(1)) => ({
  values: { [app.ids.Things!.Title!]: string(title), [app.ids.Things!.Count!]: count },
});
export const wrong = (world: World) => values(world, world.name(), string('no number'));
export const records = ({ app }: World, recordId?: string) => app.records('Things', recordId);
export const create = (world: World, title = world.name()) =>
  world.ready(world.send('POST', records(world), { json: values(world, title) }));
export const upsert = (world: World) => `${records(world)}/upsert/${world.app.ids.Things!.Title}`;
export const attachments = ({ app }: World) => `/collections/${app.ids.Things!.id}/attachments`;
export const uploads = ({ app }: World) => `/collections/${app.ids.Things!.id}/uploads`;
export const announce = async (world: World): Promise<string> => {
  const reply = await world.send('POST', uploads(world), { headers: { ...TUS, 'upload-length': '3' } });
  assert.equal(reply.status, 201, reply.text);
  return `${uploads(world)}/${reply.headers.get('location')?.split('/').at(-1)}`;
};
export const newUser = (name: string) => ({ name, email: 'a@example.com', password: PASSWORD, ...RIGHTS });
export const addUser = (world: World) =>
  world.ready(world.send('POST', '/management/users', { json: newUser(world.name()) }));
export const userUpdate = { ...RIGHTS, email: 'b@example.com', disabled: false };
export const newSharedUser = (name: string) => ({ name, email: 'a@example.com', password: PASSWORD });
export const addSharedUser = (world: World) =>
  world.ready(world.sendShared('POST', '/management/sharedUsers', { json: newSharedUser(world.name()) }));
export const sharedUserUpdate = { email: 'b@example.com', disabled: false };
export const addToken = async (world: World) => {
  const { id: userId } = await addUser(world);
  const { id } = await world.ready(world.send('POST', `/users/${userId}/tokens`, { json: { name: 'a' } }));
  return { userId, id };
};
export const applicationAt = ({ app }: World) => `/applications/${app.id}`;
