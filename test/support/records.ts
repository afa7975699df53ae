// What the tests of records share: a server with an application of their own, the operations as short verbs, and the
// rules of decisions that can be computed from outside (the hash, the form of a stored row).

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { publishApplication, type TestApplication } from './application.ts';
import { type Reply, startTestServer, type TestServer } from './server.ts';

export interface Scene {
  readonly server: TestServer;
  readonly app: TestApplication;
}

export async function openScene(document: object): Promise<Scene> {
  const server = await startTestServer();
  return { server, app: await publishApplication(server, document) };
}

/** A 500 anywhere in the file fails it, also where no test looked at the answer. */
export async function closeScene({ server }: Scene): Promise<void> {
  await server.close();
}

export type InputValues = Record<string, unknown>;
export interface AnyValue {
  readonly type: string;
  readonly [member: string]: unknown;
}
export type AnyValues = Record<string, AnyValue>;
type Headers = Record<string, string>;

/** The operations on one collection as one caller, the admin unless another token is given. */
export function operationsOn(app: TestApplication, collection: string, token = app.admin.token) {
  const put = (id: string, json: object, headers: Headers = {}) =>
    app.send('PUT', app.records(collection, id), { token, json, headers });
  return {
    create: (values: InputValues, more: object = {}) =>
      app.send('POST', app.records(collection), { token, json: { values, ...more } }),
    createMany: (elements: readonly unknown[]) => app.send('POST', app.records(collection), { token, json: elements }),
    get: (id: string, headers: Headers = {}) => app.send('GET', app.records(collection, id), { token, headers }),
    /** The newest records. */
    page: () => app.send('GET', app.records(collection), { token }),
    replace: (id: string, values: InputValues, headers?: Headers) => put(id, { values }, headers),
    merge: (id: string, values: InputValues, headers?: Headers) => put(id, { values, replace: false }, headers),
    put,
    updateMany: (elements: readonly unknown[]) => app.send('PUT', app.records(collection), { token, json: elements }),
    upsert: (keyColumnId: string, values: InputValues, more: object = {}) =>
      app.send('PATCH', `${app.records(collection)}/upsert/${keyColumnId}`, { token, json: { values, ...more } }),
    upsertMany: (keyColumnId: string, elements: readonly unknown[]) =>
      app.send('PATCH', `${app.records(collection)}/upsert/${keyColumnId}`, { token, json: elements }),
    remove: (id: string, headers: Headers = {}) => app.send('DELETE', app.records(collection, id), { token, headers }),
    /** The body as it is, for what JSON.stringify cannot write. */
    createRaw: (raw: string) =>
      app.send('POST', app.records(collection), { token, raw, headers: { 'content-type': 'application/json' } }),
  };
}

export type Operations = ReturnType<typeof operationsOn>;

/** The body of an answer that must be 200. */
export function done(reply: Reply): Reply['body'] {
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** The params of an answer that must be this refusal, in the form that every error has. */
export function refused(reply: Reply, status: number, code: string): Reply['body'] {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(reply.body.code, code, reply.text);
  for (const member of Object.keys(reply.body)) assert.ok(member === 'code' || member === 'params', reply.text);
  return reply.body.params;
}

/** Keys sorted at every level, no white space. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/** References as their four input members: what the server fills in is not stored. */
export function storedForm(values: AnyValues): AnyValues {
  return Object.fromEntries(
    Object.entries(values).map(([columnId, value]) => {
      if (!value.type.startsWith('Reference')) return [columnId, value];
      const { recordHash: _hash, value: _value, ...stored } = value;
      return [columnId, stored];
    }),
  );
}

/** The first 130 bits of SHA-256 over identifier and canonical values, in base32hex. */
export function expectedHash(record: { id: string; values: AnyValues }): string {
  const digest = createHash('sha256')
    .update(record.id + canonical(storedForm(record.values)), 'utf8')
    .digest('hex');
  return (BigInt(`0x${digest}`) >> 126n).toString(32).padStart(26, '0');
}

export interface StoredRow {
  readonly id: string;
  readonly rec: string;
  readonly hash: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

export const tableOf = ({ app }: Scene, collection: string): string => `app_${app.id}.${app.ids[collection]?.id}`;

export async function storedRows(scene: Scene, collection: string): Promise<StoredRow[]> {
  const rows = await scene.server.database.sql(
    `select id, rec, hash, created_by, to_char(created_at at time zone 'UTC', ${ISO}),
       to_char(updated_at at time zone 'UTC', ${ISO})
     from ${tableOf(scene, collection)} order by id`,
  );
  return (rows as string[][]).map(([id = '', rec = '', hash = '', createdBy = '', createdAt = '', updatedAt = '']) => ({
    id,
    rec,
    hash,
    createdBy,
    createdAt,
    updatedAt,
  }));
}

export async function storedRow(scene: Scene, collection: string, id: string): Promise<StoredRow> {
  const row = (await storedRows(scene, collection)).find((one) => one.id === id);
  assert.ok(row, `${id} is not stored`);
  return row;
}

/** Every column of a row says what its text says, and the text has the one form, whichever statement wrote it. */
export function assertConsistent(row: StoredRow): void {
  const { id, createdAt, createdBy, timestamp, hash, updatedAt, updatedBy, values } = JSON.parse(row.rec);
  const metadata = { id, createdAt, createdBy, timestamp, hash, updatedAt, updatedBy };
  assert.equal(row.rec, `${JSON.stringify(metadata).slice(0, -1)},"values":${canonical(values)}}`);
  assert.deepEqual(
    { ...row, rec: '' },
    { id, rec: '', hash: expectedHash({ id, values }), createdBy: createdBy.id, createdAt, updatedAt },
  );
  assert.equal(hash, row.hash);
  assert.ok(createdAt <= timestamp && timestamp <= updatedAt, row.rec);
}

/** The record activities so far, oldest first. */
export async function recordActivities({ server, app }: Scene): Promise<Reply['body'][]> {
  const rows = await server.database.sql(`select entry from app_${app.id}.activity order by id`);
  return rows.map(([entry]) => JSON.parse(entry as string)).filter(({ type }) => type === 'record');
}

/** Well-formed, and of nobody: no identifier made by the server begins like this. */
export const NO_RECORD = `r${'0'.repeat(26)}`;
export const NO_USER = 'u0000000';
