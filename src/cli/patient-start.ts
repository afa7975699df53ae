// Starts a server as soon as its database is there, and says in a sentence why it cannot.

import { Fault } from '../faults.ts';
import { StoreUnusable } from '../store/blobs/blobs.ts';
import { UnsupportedDatabase } from '../store/database/engine.ts';
import { isLocked } from '../store/database/sqlstate.ts';
import type { RunningServer } from './assemble.ts';
import { CannotListen, type ListenerName } from './cannot-listen.ts';
import type { Ending } from './ending.ts';
import { CommandFailure } from './failure.ts';
import type { ServerOptions } from './server-options.ts';

const DATABASE_WAIT_MS = 1_000;

export interface Waiting {
  readonly ending: Ending;
  /** Told for what it waits, again and again while it does. */
  readonly onWaiting: (what: string) => void;
}

/** The order in which servers start does not matter: one that is ahead of its database waits for it. */
export async function startPatiently(
  options: ServerOptions,
  { ending, onWaiting }: Waiting,
): Promise<RunningServer | undefined> {
  // Not before: a process that leaves serving to its workers does without it.
  const { startServer } = await import('./assemble.ts');
  while (!ending.asked) {
    try {
      return await startServer({ ...options, onWaiting });
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'UNAVAILABLE')) throw plainly(error);
      onWaiting(whatIsAwaited(error));
      await Promise.race([ending.signal, new Promise((done) => setTimeout(done, DATABASE_WAIT_MS))]);
    }
  }
  return undefined;
}

function whatIsAwaited(away: Fault): string {
  if (isLocked(away)) return 'tables that are to be changed are in use; pg_stat_activity shows by whom';
  return away.cause instanceof Error ? away.cause.message : 'it does not answer';
}

/** What the settings of each begin with. */
const LISTENER_SETTINGS: Readonly<Record<ListenerName, string>> = {
  interface: 'CARTULARY',
  metrics: 'CARTULARY_METRICS',
};

function listenFailure({ listener, address, cause }: CannotListen): CommandFailure {
  const { code = (cause as Error).message } = cause as NodeJS.ErrnoException;
  const place = `${address.host}:${address.port}`;
  const setting = LISTENER_SETTINGS[listener];
  const told =
    code === 'EADDRINUSE'
      ? `Port ${address.port} is in use: another server listens on ${place}. Set ${setting}_PORT to use another port.`
      : `Cannot listen on ${place} (${code}). Set ${setting}_HOST and ${setting}_PORT to what this machine allows.`;
  return new CommandFailure(told, { cause });
}

function plainly(error: unknown): unknown {
  if (error instanceof CannotListen) return listenFailure(error);
  if (error instanceof StoreUnusable || error instanceof UnsupportedDatabase)
    return new CommandFailure(error.message, { cause: error });
  const { code } = error as NodeJS.ErrnoException;
  if (code === '42501') {
    return new CommandFailure(
      `The database refused: ${(error as Error).message}. The role needs the right to create schemas: grant create on database … to …`,
    );
  }
  // The database answered and refused: wrong password, unknown database.
  if (code?.startsWith('28') || code === '3D000') {
    return new CommandFailure(`The database refused: ${(error as Error).message}`);
  }
  return error;
}
