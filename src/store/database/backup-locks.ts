// What keeps a backup whole while the servers go on: advisory locks, which end with their connection, whichever node has them.
// A backup holds them exclusively from before its snapshot. A transaction that destroys what the snapshot may still show takes
// them shared, and gives way if it cannot: so all that it destroyed was gone before the snapshot, or is still there.

import { setTimeout as pause } from 'node:timers/promises';
import { Fault, fault } from '../../faults.ts';
import type { CopyConnection } from './copy-connections.ts';
import type { Reader } from './handles.ts';

/** The first key of all of them: "back" in ASCII. */
const KEY = 0x6261636b;
/** `turn`: one backup at a time. `restore`: one restoration at a time. */
const LOCKS = { turn: 0, tables: 1, files: 2, restore: 3 } as const;
type Lock = keyof typeof LOCKS;

const RETRY_MS = 50;
/** Those that destroy hold their lock for one short transaction. */
const WAIT_MS = 60_000;

export const backupUnderWay = (): Fault => fault('UNAVAILABLE', { reason: 'backup' }, { 'retry-after': '60' });

export const isBackupUnderWay = (error: unknown): boolean =>
  error instanceof Fault &&
  error.code === 'UNAVAILABLE' &&
  (error.params as { readonly reason?: string }).reason === 'backup';

async function tryLock(connection: Pick<CopyConnection, 'rows'>, lock: Lock): Promise<boolean> {
  const rows = await connection.rows('select pg_try_advisory_lock($1, $2)', [KEY, LOCKS[lock]]);
  return rows[0]?.[0] === true;
}

/** Held until the connection closes. Throws if another backup is under way. */
export async function lockForBackup(connection: CopyConnection): Promise<void> {
  if (!(await tryLock(connection, 'turn'))) throw backupUnderWay();
  const deadline = performance.now() + WAIT_MS;
  for (const lock of ['tables', 'files'] as const) {
    while (!(await tryLock(connection, lock))) {
      if (performance.now() > deadline) throw fault('UNAVAILABLE', { reason: 'busy' }, { 'retry-after': '10' });
      await pause(RETRY_MS);
    }
  }
}

/** The tables are copied, and may be dropped again. */
export async function releaseTables(connection: CopyConnection): Promise<void> {
  await connection.rows('select pg_advisory_unlock($1, $2)', [KEY, LOCKS.tables]);
}

/** Held until the connection closes. False if a backup is being restored. */
export const lockForRestore = (connection: Pick<CopyConnection, 'rows'>): Promise<boolean> =>
  tryLock(connection, 'restore');

/** Until the end of the transaction: whether tables, columns or partitions may be dropped, or files removed. */
export async function mayDestroy(tx: Pick<Reader, 'rows'>, what: 'tables' | 'files'): Promise<boolean> {
  const rows = await tx.rows('select pg_try_advisory_xact_lock_shared($1, $2)', [KEY, LOCKS[what]]);
  return rows[0]?.[0] === true;
}
