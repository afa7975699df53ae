// Requests that change one record leave the server one after the other. They would wait for each other in the database anyway,
// where the record is locked; here they also get the dates of their activity entries in the order in which they happen. Entries
// are therefore made when the change leaves, not when its request arrives. Batches of several records do not take turns, and
// the next change does not wait for a statement whose request was cancelled: there the lock alone decides.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import { onAbort, type Signal } from '../../request/signal.ts';
import type { InCollection } from '../in-collection.ts';

/** By identifier: settles when the last request that changes the record has, and all before it. */
type Changes = Map<string, Promise<unknown>>;

const changesOf = new WeakMap<PreparedCollection, Changes>();

export function inTurn<T>(
  { collection, scope }: Pick<InCollection, 'collection' | 'scope'>,
  recordId: string,
  change: () => Promise<T>,
): Promise<T> {
  const changes = changesIn(collection);
  const before = changes.get(recordId);
  const going = before === undefined ? change() : endOf(before, scope.signal).then(change);
  // A request that is cancelled while it waits does not let the next one overtake.
  const end = before === undefined ? going : going.catch(() => undefined).then(() => before);
  changes.set(recordId, end);
  const forget = () => {
    if (changes.get(recordId) === end) changes.delete(recordId);
  };
  end.then(forget, forget);
  return going;
}

function changesIn(collection: PreparedCollection): Changes {
  let changes = changesOf.get(collection);
  if (changes === undefined) {
    changes = new Map();
    changesOf.set(collection, changes);
  }
  return changes;
}

/** Resolves whatever becomes of it; rejects only when the signal is aborted. */
const endOf = (change: Promise<unknown>, signal: Signal): Promise<void> =>
  new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, reject);
    const end = () => {
      unsubscribe();
      resolve();
    };
    change.then(end, end);
  });
