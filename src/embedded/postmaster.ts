// Runs one PostgreSQL server: starts it, waits until it is ready, restarts it when it dies, and stops it. Knows nothing
// about how its folder was created, nor about its clients.
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnOptions } from './account.ts';
import { type Cluster, PORT, refreshSurroundings } from './cluster.ts';
import { EmbeddedFailure, folderFailure, noRoom } from './failure.ts';
import type { FolderLock } from './folder-lock.ts';
import { endBackends, endPostmaster, postgresProcessesOf } from './processes.ts';
import type { ServerLog } from './server-log.ts';
import type { SocketPath } from './socket-path.ts';
import { clearTheWay, readRecord } from './takeover.ts';
import type { Watchdog } from './watchdog.ts';

/** Recovery after a crash replays the log of at most two checkpoints: minutes at worst. */
const READY_BOUND_MS = 600_000;
const READY_POLL_MS = 10;
const READY_NOTE_MS = 10_000;
const RESTARTS_MAX = 10;
const RESTART_DELAY_MS_MAX = 5_000;
/** After a server ran this long, its next death does not count as a failed restart. */
const SOUND_AFTER_MS = 10_000;
const HOUSEKEEPING_MS = 60_000;

export interface PostmasterOptions {
  readonly folder: string;
  readonly cluster: Cluster;
  /** The program. */
  readonly postgres: string;
  readonly log: ServerLog;
  readonly lock: FolderLock;
  readonly watchdog: Watchdog;
  readonly socket: SocketPath;
  readonly print: (line: string) => void;
  readonly onRestart: (reason: string) => void;
}

/** The command line overrides every file and ALTER SYSTEM: no port is opened, and every commit is flushed. */
function commandLine(cluster: Cluster): string[] {
  const musts = {
    config_file: cluster.settingsFile,
    hba_file: cluster.accessFile,
    listen_addresses: '',
    port: PORT,
    // Relative to PGDATA, the working folder of the server, so that the path is never too long.
    unix_socket_directories: '../socket',
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    logging_collector: 'off',
  };
  return ['-D', cluster.data, ...Object.entries(musts).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function describeEnd(child: ChildProcess): string {
  return child.signalCode === null ? `exit code ${child.exitCode}` : `signal ${child.signalCode}`;
}

export class Postmaster {
  readonly #options: PostmasterOptions;
  readonly #ending = new AbortController();
  #child: ChildProcess | null = null;
  #pid = 0;
  #readySinceMs = 0;
  #restarts = 0;
  #restarting: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | null = null;
  #housekeeping: NodeJS.Timeout | null = null;

  constructor(options: PostmasterOptions) {
    this.#options = options;
  }

  get pid(): number {
    return this.#pid;
  }

  /** Rejects with a sentence when PostgreSQL does not come up; nothing of it runs then. */
  async start(): Promise<void> {
    try {
      await this.#launch();
    } catch (error) {
      await this.stop();
      throw folderFailure(this.#options.folder, error);
    }
    this.#housekeeping = setInterval(() => void this.#keepHouse(), HOUSEKEEPING_MS).unref();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#shutDown();
    return this.#stopped;
  }

  async #launch(): Promise<void> {
    const { folder, cluster, postgres, log, watchdog, socket, print } = this.#options;
    await clearTheWay({ folder, cluster, socketFolder: socket.folder, port: PORT, print });
    await refreshSurroundings(cluster);
    await log.bound();
    const logFrom = await log.bytes();
    const file = await log.open();
    let child: ChildProcess;
    try {
      const options = { ...spawnOptions(cluster.account), stdio: ['ignore' as const, file.fd, file.fd] };
      child = spawn(postgres, commandLine(cluster), options);
      // In the same tick as the spawn: a kill in between would leave PostgreSQL without its watchdog.
      if (child.pid !== undefined) watchdog.guard(child.pid);
    } finally {
      await file.close();
    }
    await this.#untilReady(child, logFrom);
    this.#readySinceMs = Date.now();
    const restart = () => {
      watchdog.guardNothing();
      if (!this.#ending.signal.aborted) this.#restarting = this.#restart(child);
    };
    if (hasEnded(child)) restart();
    else child.once('exit', restart);
  }

  async #untilReady(child: ChildProcess, logFrom: number): Promise<void> {
    const { cluster, log, print } = this.#options;
    let failure: Error | null = null;
    child.once('error', (error) => {
      failure = error;
    });
    this.#child = child;
    const begun = Date.now();
    for (let noted = begun; ; ) {
      await sleep(READY_POLL_MS);
      if (failure !== null || child.pid === undefined) {
        const reason = (failure as Error | null)?.message ?? 'unknown reason';
        throw new EmbeddedFailure(`The bundled PostgreSQL cannot run on this system: ${reason}.`);
      }
      if (hasEnded(child)) throw this.#startFailure(describeEnd(child), await log.tail(logFrom));
      const record = await readRecord(cluster);
      if (record?.pid === child.pid && record.isReady) break;
      this.#ending.signal.throwIfAborted();
      if (Date.now() - begun > READY_BOUND_MS) {
        throw this.#startFailure(`not ready after ${READY_BOUND_MS / 1000} seconds`, await log.tail(logFrom));
      }
      if (Date.now() - noted > READY_NOTE_MS) {
        print('The database is still starting; after a crash it first recovers recent changes…');
        noted = Date.now();
      }
    }
    this.#pid = child.pid;
  }

  #startFailure(end: string, logTail: string): EmbeddedFailure {
    const { folder, log } = this.#options;
    if (/No space left on device|Disk quota exceeded/.test(logTail)) return noRoom(folder);
    return new EmbeddedFailure(`PostgreSQL did not start (${end}); the end of ${log.file} says:\n${logTail}`);
  }

  async #restart(dead: ChildProcess): Promise<void> {
    const { folder, lock, print, onRestart } = this.#options;
    const reason = `PostgreSQL (process ${dead.pid}) ended unexpectedly with ${describeEnd(dead)}`;
    if (Date.now() - this.#readySinceMs > SOUND_AFTER_MS) this.#restarts = 0;
    let last: unknown = null;
    while (this.#restarts < RESTARTS_MAX) {
      const delayMs = this.#restarts === 0 ? 0 : Math.min(RESTART_DELAY_MS_MAX, 50 * 2 ** this.#restarts);
      this.#restarts++;
      try {
        await sleep(delayMs, undefined, { signal: this.#ending.signal });
        if (!(await lock.isHeld())) {
          print(`${reason}; it is not started again because ${folder} was deleted or given to another server.`);
          return;
        }
        await this.#launch();
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        last = error;
        continue;
      }
      onRestart(`${reason} and was started again.`);
      return;
    }
    print(
      `${reason}, and starting it again failed ${RESTARTS_MAX} times; last: ${last instanceof Error ? last.message : last}`,
    );
  }

  async #shutDown(): Promise<void> {
    const { folder, cluster, lock, watchdog, socket } = this.#options;
    this.#ending.abort();
    if (this.#housekeeping) clearInterval(this.#housekeeping);
    await this.#restarting;
    const child = this.#child;
    const ended = child?.pid === undefined || (await endPostmaster(child.pid, () => !hasEnded(child)));
    // After anything but a fast shutdown, backends may outlive their postmaster for a moment. If the folder was deleted and
    // created again, the backends at its path belong to another server.
    const isOurs = await lock.isHeld();
    const left = isOurs && postgresProcessesOf(cluster.data, cluster.name).length > 0;
    const cleared = !left || (await endBackends(cluster.data, cluster.name));
    await watchdog.close();
    if (isOurs) await socket.remove();
    if (!ended || !cleared)
      throw new EmbeddedFailure(`PostgreSQL in ${folder} (process ${child?.pid}) could not be stopped.`);
  }

  async #keepHouse(): Promise<void> {
    const { log, socket } = this.#options;
    // A failure of either is harmless, and both are tried again in a minute.
    await log.bound().catch(() => {});
    await socket.refresh().catch(() => {});
  }
}
