// Starts a server as soon as its database is available, and turns expected failures into sentences for the operator.

import { Fault } from '../faults.ts';
import { StoreUnusable } from '../store/blobs/blobs.ts';
import { isLocked } from '../store/database/database-errors.ts';
import { UnsupportedDatabase } from '../store/database/engine.ts';
import { refusedByWorker, workerOf } from '../store/database/worker-errors.ts';
import { CannotListen, listenFailure } from './cannot-listen.ts';
import { CommandFailure } from './failure.ts';
import type { ServerOptions } from './server-options.ts';
import type { RunningServer } from './start-server.ts';
import type { StopRequest } from './stop-request.ts';

const RETRY_MS = 1_000;

export interface Retrying {
  readonly stopRequest: StopRequest;
  /** Called repeatedly with the reason while the start waits. */
  readonly onWaiting: (reason: string) => void;
}

/** A server may start before its database: it waits for the database. Undefined if it is told to stop meanwhile. */
export async function startWithRetry(
  options: ServerOptions,
  { stopRequest, onWaiting }: Retrying,
): Promise<RunningServer | undefined> {
  // Imported here: a primary process with workers does not need the server.
  const { startServer } = await import('./start-server.ts');
  while (!stopRequest.received) {
    try {
      return await startServer({ ...options, onWaiting });
    } catch (error) {
      const refused = refusedByWorker(error instanceof Fault ? error.cause : error);
      if (refused !== undefined) throw refusedRole(refused);
      if (!(error instanceof Fault && error.code === 'UNAVAILABLE')) throw explained(error);
      onWaiting(reasonOf(error));
      await Promise.race([stopRequest.signal, new Promise((done) => setTimeout(done, RETRY_MS))]);
    }
  }
  return undefined;
}

function reasonOf(fault: Fault): string {
  if (isLocked(fault)) return 'other connections use tables that have to be changed; see pg_stat_activity';
  return fault.cause instanceof Error ? fault.cause.message : 'it does not respond';
}

/** On a cluster whose coordinator accepts the role. */
const refusedRole = ({ node, reason }: { node: string; reason: string }): CommandFailure =>
  new CommandFailure(
    `The worker ${node} refused: ${reason}. Every node must know the role and the database, and accept the role from the others (pg_hba.conf, and a .pgpass file if it has a password).`,
  );

function explained(error: unknown): unknown {
  if (error instanceof CannotListen) return listenFailure(error);
  if (error instanceof StoreUnusable || error instanceof UnsupportedDatabase)
    return new CommandFailure(error.message, { cause: error });
  const { code } = error as NodeJS.ErrnoException;
  if (code === '42501') {
    const worker = workerOf(error);
    return new CommandFailure(
      `The ${worker === undefined ? 'database' : `worker ${worker}`} refused: ${(error as Error).message}. The role needs permission to create schemas${worker === undefined ? '' : ' on every node'}: grant create on database … to …`,
    );
  }
  // SQLSTATE class 28: wrong user or password; 3D000: unknown database.
  if (code?.startsWith('28') || code === '3D000') {
    return new CommandFailure(`The database refused: ${(error as Error).message}`);
  }
  return error;
}
