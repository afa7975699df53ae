// What the tests of backups share: archives in memory, sent and received over the operator's door, and a look at all that a
// server has.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type ArchiveEntry, readArchive } from '../../src/domain/backup/archive-reader.ts';
import type { TestApplication } from '../support/application.ts';
import { OPERATOR_KEY, type Reply, sendTo, type TestServer } from '../support/server.ts';

const authorization = `Bearer ${OPERATOR_KEY}`;

export interface Received {
  readonly status: number;
  readonly archive: Buffer;
}

/** `onChunk` may wait, as a slow reader does. */
export function receiveBackup(
  address: string,
  query = '',
  onChunk: (bytes: number) => Promise<void> = async () => undefined,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(`${address}/operator/v1/backup${query}`, { headers: { authorization } }, async (response) => {
      try {
        const chunks: Buffer[] = [];
        let bytes = 0;
        for await (const chunk of response as AsyncIterable<Buffer>) {
          chunks.push(chunk);
          bytes += chunk.length;
          await onChunk(bytes);
        }
        resolve({ status: response.statusCode ?? 0, archive: Buffer.concat(chunks) });
      } catch (error) {
        reject(error);
      }
    });
    sent.on('error', reject).end();
  });
}

export async function backUp(server: Pick<TestServer, 'address'>, query = ''): Promise<Buffer> {
  const { status, archive } = await receiveBackup(server.address, query);
  assert.equal(status, 200, archive.toString().slice(0, 500));
  return archive;
}

export const restoreInto = (server: Pick<TestServer, 'address'>, archive: Buffer, query = ''): Promise<Reply> =>
  sendTo(server.address, 'POST', `/operator/v1/restore${query}`, { token: OPERATOR_KEY, raw: archive });

/** Sends the beginning of an archive, and never its rest. Resolves when the connection breaks, at `leave` at the latest. */
export function sendPart(address: string, part: Buffer, leave?: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(`${address}/operator/v1/restore`, { method: 'POST', headers: { authorization } });
    sent.on('error', () => resolve()).on('close', () => resolve());
    void leave?.then(() => sent.destroy());
    sent.write(part);
  });
}

export async function entriesOf(archive: Buffer): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  const chunks = async function* () {
    yield archive;
  };
  for await (const entry of readArchive(chunks())) entries.push(entry);
  return entries;
}

/** The same application on another server. */
export function elsewhere(app: TestApplication, server: TestServer, id = app.id): TestApplication {
  return {
    ...app,
    id,
    send: (method, path, options = {}) =>
      server.send(method, `/v1/${id}${path}`, { token: app.admin.token, ...options }),
  };
}

/** Every row of every table of an application, and its indexes, but not what a restoration changes on purpose. */
export async function contentsOf(server: TestServer, applicationId: string): Promise<Record<string, unknown>> {
  const schema = `app_${applicationId}`;
  const tables = await server.database.sql(
    `select c.relname::text from pg_class c where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and c.relname <> 'fence' order by 1`,
    [schema],
  );
  const contents: Record<string, unknown> = {};
  for (const [table] of tables as [string][]) {
    // When a token was last used is stored some seconds later.
    const rows = await server.database.sql(
      `select (to_jsonb(t) - 'last_used_at')::text from ${schema}.${table} t order by 1`,
    );
    contents[table] = rows.map((row) => row[0]);
  }
  contents.indexes = await server.database.sql(
    `select indexname::text, replace(indexdef, $1, '') from pg_indexes where schemaname = $1 order by 1`,
    [schema],
  );
  return contents;
}

export async function schemasOf(server: TestServer): Promise<string[]> {
  const rows = await server.database.sql("select nspname::text from pg_namespace where nspname like 'app%' order by 1");
  return rows.map((row) => row[0] as string);
}
