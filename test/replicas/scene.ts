// A primary with a standby or several, and two servers: one that reads from the standbys too, and another node that does not.

import assert from 'node:assert/strict';
import type { Observation } from '../../src/events/events.ts';
import { type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import { scrape } from '../support/metrics.ts';
import { databaseOf, type OwnPostgres, ownPostgres } from '../support/own-postgres.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

export const HEADER = 'cartulary-consistency';
export const EVENTUAL = { [HEADER]: 'eventual' };

export const COLUMNS = [
  { name: 'Title', type: 'String', searchable: true, sortable: true },
  { name: 'Rank', type: 'Number', sortable: true, searchable: true },
];
const COLLECTIONS = [{ name: 'Notes', columns: COLUMNS }];

export interface Notes extends TestApplication {
  /** The identifier of the new record. */
  create(title: string, server?: TestServer): Promise<string>;
  rename(id: string, title: string, server?: TestServer): Promise<void>;
  /** With `eventual`; the path is that of a record, or what follows the path of all. By the admin unless another is named. */
  read(rest: string, reader?: Person): Promise<Reply>;
  titleOf(reply: Reply): string;
}

export interface ReplicaScene {
  readonly primary: OwnPostgres;
  readonly standby: OwnPostgres;
  /** All of them. */
  readonly standbys: readonly OwnPostgres[];
  readonly server: TestServer;
  readonly otherNode: TestServer;
  readonly seen: Observation[];
  publish(): Promise<Notes>;
  /** The first standby shows nothing new until it is resumed. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  reads(outcome: string): Promise<number>;
  close(): Promise<void>;
}

export const isEventual = (reply: Reply): boolean => reply.headers.get(HEADER) === 'eventual';

export async function openReplicaScene({ lagMs = 60_000, requestMs = 30_000, count = 1 } = {}): Promise<ReplicaScene> {
  const primary = await ownPostgres();
  const standby = await primary.standby();
  const standbys = [standby];
  while (standbys.length < count) standbys.push(await primary.standby());
  for (const one of [primary, ...standbys]) await one.start();
  const seen: Observation[] = [];
  const shared = { database: databaseOf(primary) };
  const replicas = { connections: standbys.map(({ connection }) => connection), lagMs };
  const observe = (observation: Observation) => void seen.push(observation);
  const server = await startTestServer({ ...shared, replicas, requestMs, observe });
  const otherNode = await startTestServer(shared);
  return {
    ...{ primary, standby, standbys, server, otherNode, seen },
    publish: async () => notesOf(server, await publishApplication(server, { collections: COLLECTIONS })),
    pause: async () => {
      await standby.sql('select pg_wal_replay_pause()');
      const state = 'select pg_get_wal_replay_pause_state()';
      await until('the pause', async () => (await standby.sql(state))[0]?.[0] === 'paused');
    },
    resume: async () => void (await standby.sql('select pg_wal_replay_resume()')),
    reads: async (outcome) => (await scrape(server.address)).sum('cartulary_replica_reads_total', { outcome }),
    close: async () => {
      await server.close();
      await otherNode.close();
      for (const one of [primary, ...standbys]) await one.end('SIGKILL');
    },
  };
}

function notesOf(server: TestServer, app: TestApplication): Notes {
  const title = app.ids.Notes?.Title ?? '';
  const { token } = app.admin;
  const path = `/v1/${app.id}${app.records('Notes')}`;
  return {
    ...app,
    create: async (text, at = server) => {
      const created = await at.send('POST', path, { token, json: { values: { [title]: string(text) } } });
      assert.equal(created.status, 200, created.text);
      return created.body.id;
    },
    rename: async (id, text, at = server) => {
      const json = { replace: false, values: { [title]: string(text) } };
      const renamed = await at.send('PUT', `${path}/${id}`, { token, json });
      assert.equal(renamed.status, 200, renamed.text);
    },
    read: async (rest, reader = app.admin) => {
      const reply = await server.send('GET', `${path}${rest}`, { token: reader.token, headers: EVENTUAL });
      assert.equal(reply.status, 200, reply.text);
      return reply;
    },
    titleOf: ({ body }) => body.values[title].value,
  };
}
