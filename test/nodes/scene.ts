// Servers as processes on one database, and their clients.

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { databaseUrl } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { OPERATOR_KEY, sendTo } from '../support/server.ts';

export interface Scene {
  readonly database: TestDatabase;
  start(settings?: Record<string, string>, args?: readonly string[]): Promise<ServerProcess>;
  /** Kills the processes that still run. */
  close(): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  const database = await createDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'ct-nodes-'));
  const environment = {
    DATABASE_URL: databaseUrl(database),
    CARTULARY_DATA: folder,
    CARTULARY_OPERATOR_KEY: OPERATOR_KEY,
    CARTULARY_DATABASE_CONNECTIONS: '8',
  };
  const started: ServerProcess[] = [];
  return {
    database,
    start: async (settings = {}, args = ['serve']) => {
      const server = await spawnServer({ ...environment, ...settings }, args);
      started.push(server);
      return server;
    },
    close: async () => {
      await Promise.all(started.map((server) => server.end('SIGKILL')));
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const publishAt = (address: string, collections: readonly object[]): Promise<TestApplication> =>
  publishApplication(
    {
      send: (method, path, options) => sendTo(address, method, path, options),
      operator: (method, path, body) =>
        sendTo(address, method, `/operator/v1${path}`, {
          token: OPERATOR_KEY,
          ...(body === undefined ? {} : { json: body }),
        }),
    },
    { collections },
  );

/** On a connection of its own: which process replied, and its reply. */
export function askOnce(address: string, path: string, token: string): Promise<{ node: string; status: number }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    const sent = request(address + path, { agent: false, headers }, (response) => {
      const node = String(response.headers['x-request-id']).split('-')[0] ?? '';
      response.resume().on('end', () => resolve({ node, status: response.statusCode ?? 0 }));
    });
    sent.on('error', reject).end();
  });
}

/** The running child processes of a process. */
export function childrenOf(pid: number): number[] {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  } catch {
    return [];
  }
}

export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
