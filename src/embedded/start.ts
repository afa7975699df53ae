// The entry point of the bundled PostgreSQL: starts a server in a data folder. The order of the steps is here, the steps
// are in the other files of this folder. Imports nothing from the rest of the project.
import { findBinaries } from './binaries.ts';
import { accountFor, DATABASE, PORT, prepareCluster, SUPERUSER } from './cluster.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import { makeDataFolder } from './home.ts';
import { Postmaster } from './postmaster.ts';
import { ServerLog } from './server-log.ts';
import { reachSocket } from './socket-path.ts';
import { Watchdog } from './watchdog.ts';

export interface EmbeddedPostgres {
  /** For pg's configuration; `host` is the folder of the socket. */
  readonly connection: { host: string; port: number; user: string; database: string };
  /** The pid of the running postmaster; changes after an automatic restart. */
  readonly pid: number;
  /** Fast shutdown, bounded; may be called more than once. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** The data folder; created if it is missing. */
  folder: string;
  /** Connections that the server needs; PostgreSQL allows at least 100. */
  connectionsMax?: number;
  /** Prints a line of progress for the operator. */
  print: (line: string) => void;
  /** Called after PostgreSQL died and was restarted. */
  onRestart?: (reason: string) => void;
}

/** Rejects with DataFolderInUse, or another EmbeddedFailure whose message is a sentence for the operator. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const folder = await makeDataFolder(options.folder);
  const lock = await lockFolder(folder);
  try {
    return await startLocked(folder, lock, options);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function startLocked(
  folder: string,
  lock: FolderLock,
  { print, onRestart, connectionsMax }: EmbeddedOptions,
): Promise<EmbeddedPostgres> {
  const account = await accountFor(folder);
  const { initdb, postgres } = await findBinaries(account, print);
  const cluster = await prepareCluster({ folder, account, initdb, print, connectionsMax });
  const watchdog = new Watchdog(account, print);
  try {
    const socket = await reachSocket(cluster.socketFolder, PORT);
    const postmaster = new Postmaster({
      ...{ folder, cluster, postgres, lock, watchdog, socket, print },
      log: new ServerLog(folder),
      onRestart: onRestart ?? (() => {}),
    });
    await postmaster.start();
    let stopped: Promise<void> | null = null;
    return {
      connection: { host: socket.folder, port: PORT, user: SUPERUSER, database: DATABASE },
      get pid() {
        return postmaster.pid;
      },
      stop() {
        stopped ??= postmaster.stop().then(() => lock.release());
        return stopped;
      },
    };
  } catch (error) {
    await watchdog.close();
    throw error;
  }
}
