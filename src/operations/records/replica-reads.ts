// Reads of records from a replica, for callers who allow it. The request itself, its credentials, quota and definition have
// been checked as always: only the records come from there. A replica's reply is a success or none: whatever it would refuse,
// the primary decides.

import type { Context } from '../../context.ts';
import type { PreparedApplication } from '../../domain/definition/application.ts';
import type { Writer } from '../../store/database/handles.ts';
import { assertGeneration, fenceGeneration } from '../../store/records/fence.ts';

/** `onReplica`: called if a replica served it. */
export async function readEventually<T>(
  context: Context,
  read: (context: Context) => Promise<T> | T,
  onReplica: () => void,
): Promise<T> {
  const { application, caller, database, scope } = context;
  const reading = database.readOnReplica(application.id, caller.id, async (store) => {
    await assertReplicated(store, application);
    return read({ ...context, store });
  });
  if (reading === undefined) return read(context);
  try {
    const result = await reading;
    onReplica();
    return result;
  } catch {
    scope.signal.throwIfAborted();
    return read(context);
  }
}

const replicated = new WeakMap<object, WeakSet<PreparedApplication>>();

/**
 * The replica has to have the tables and values of the definition that the request was prepared with. It only moves on, so that
 * is found out once for each definition.
 */
async function assertReplicated(store: Writer, application: PreparedApplication): Promise<void> {
  const { replica } = store;
  if (replica === undefined || replicated.get(replica)?.has(application)) return;
  const { text, params, ...how } = fenceGeneration(store.schema);
  assertGeneration(await store.rows(text, params, how), application.generation);
  const known = replicated.get(replica) ?? new WeakSet();
  replicated.set(replica, known.add(application));
}
