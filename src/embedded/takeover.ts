// Removes what an earlier run may have left in a cluster: a postmaster without its parent, backends without their
// postmaster, a postmaster.pid of a dead process. Runs under our lock of the data folder; starts nothing.
import { open, readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import type { Cluster } from './cluster.ts';
import { DataFolderInUse, EmbeddedFailure, errorCode } from './failure.ts';
import { endBackends, endPostmaster, isPostgresOf, postgresProcessesOf } from './processes.ts';

/** Larger than any pid of Linux or macOS, and still valid for PostgreSQL. */
const NEVER_ALIVE = 2 ** 31 - 1;
const PROBE_MS = 1_000;

export interface PostmasterRecord {
  readonly pid: number;
  readonly isReady: boolean;
}

const recordFile = (cluster: Cluster) => path.join(cluster.data, 'postmaster.pid');

/** Reads postmaster.pid: the pid in its first line, the state in its eighth. Null if the file does not exist. */
export async function readRecord(cluster: Cluster): Promise<PostmasterRecord | null> {
  const text = await readFile(recordFile(cluster), 'utf8').catch((error) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const lines = text.split('\n');
  return { pid: Number.parseInt(lines[0] ?? '', 10) || 0, isReady: lines[7]?.trim() === 'ready' };
}

/**
 * PostgreSQL refuses to start while the recorded pid belongs to any running process, which is likely after a reboot. Only
 * the pid is replaced: with the rest of the record PostgreSQL checks that the shared memory is free.
 */
async function disarmRecord(cluster: Cluster): Promise<void> {
  const record = await readRecord(cluster);
  if (record === null) return;
  if (record.pid <= 0) {
    await rm(recordFile(cluster), { force: true });
    return;
  }
  const file = await open(recordFile(cluster), 'r+');
  try {
    const rest = (await file.readFile('utf8')).split('\n').slice(1);
    await file.truncate(0);
    await file.write([NEVER_ALIVE, ...rest].join('\n'), 0);
  } finally {
    await file.close();
  }
}

/** A server in another container shares the files but its processes are not visible here; its socket is. */
function socketAccepts(socketFolder: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(path.join(socketFolder, `.s.PGSQL.${port}`));
    const finish = (listens: boolean) => {
      socket.destroy();
      resolve(listens);
    };
    socket.setTimeout(PROBE_MS, () => finish(true));
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

export interface Takeover {
  readonly folder: string;
  readonly cluster: Cluster;
  /** The folder of the socket, by a path that is short enough to connect to. */
  readonly socketFolder: string;
  readonly port: number;
  readonly print: (line: string) => void;
}

/** Afterwards no process runs in the cluster and a new postmaster can start. */
export async function clearTheWay({ folder, cluster, socketFolder, port, print }: Takeover): Promise<void> {
  const record = await readRecord(cluster);
  if (record && record.pid > 0 && isPostgresOf(record.pid, cluster.data)) {
    print(`Stopping the database that an earlier run left behind (process ${record.pid})…`);
    const ended = await endPostmaster(record.pid, () => isPostgresOf(record.pid, cluster.data));
    if (!ended)
      throw new EmbeddedFailure(
        `An earlier PostgreSQL (process ${record.pid}) runs in ${folder} and cannot be stopped.`,
      );
  }
  if (postgresProcessesOf(cluster.data, cluster.name).length > 0 && !(await endBackends(cluster.data, cluster.name))) {
    throw new EmbeddedFailure(`Processes of an earlier PostgreSQL run in ${folder} and cannot be stopped.`);
  }
  if (record && (await socketAccepts(socketFolder, port))) throw new DataFolderInUse(folder, record.pid);
  await disarmRecord(cluster);
}
