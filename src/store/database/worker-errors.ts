// Errors that a Citus coordinator reports about one of its workers. The connection to the coordinator stays usable: only the
// applications of that worker are unavailable. Citus never translates these messages.

/** The coordinator lost the worker, could not reach it, or does not know whether the worker has committed. */
const ABOUT_WORKER =
  /^(?:connection to the remote node |connection establishment for node |could not establish any connections to the node |could not commit transaction for shard |failure on connection marked as essential)/;

/** The last line of the context of an error that a worker reported itself. */
const FROM_WORKER = /^while executing command on (\S+:\d+)$/m;

/** SQLSTATEs that a server reports when it ends, or refuses to serve, the connection they come on. */
const SERVER_ENDS = /^(?:08...|25006|53300|57P0.)$/;

/** The coordinator itself ends (as XX000), and every connection to it. */
const COORDINATOR_ENDS = /^postmaster was shut down/;

interface Reported {
  readonly message: string;
  readonly code?: unknown;
  readonly where?: unknown;
}

const isReported = (error: unknown): error is Reported => error instanceof Error && 'severity' in error;

/** A worker answered, and does not let the coordinator in with the role or to the database. Waiting does not help. */
const REFUSED_BY_WORKER =
  /^connection to the remote node (?<node>\S+) failed with the following error: .*?FATAL:\s+(?<reason>(?:role|database) .* does not exist|password authentication failed .*|no pg_hba\.conf entry .*|permission denied for database .*)|^connection to the remote node (?<silent>\S+) failed with the following error: (?<missing>fe_sendauth: no password supplied)/s;

/** Which worker refuses the role of this server, and why. */
export function refusedByWorker(error: unknown): { readonly node: string; readonly reason: string } | undefined {
  const found = isReported(error) ? REFUSED_BY_WORKER.exec(error.message)?.groups : undefined;
  if (found === undefined) return undefined;
  return { node: (found.node ?? found.silent)!, reason: (found.reason ?? found.missing)!.trim() };
}

/** The node that reported the error, if it is not the one that is connected to. */
export const workerOf = (error: unknown): string | undefined =>
  isReported(error) ? FROM_WORKER.exec(String(error.where ?? ''))?.[1] : undefined;

export function isWorkerLost(error: unknown): boolean {
  if (!isReported(error)) return false;
  if (ABOUT_WORKER.test(error.message)) return true;
  const isEnd = SERVER_ENDS.test(String(error.code)) || COORDINATOR_ENDS.test(error.message);
  return isEnd && FROM_WORKER.test(String(error.where ?? ''));
}

export const isCoordinatorEnding = (error: unknown): boolean =>
  isReported(error) && COORDINATOR_ENDS.test(error.message) && !isWorkerLost(error);
