// Within one server, an announced upload has one sender at a time, and the newest comes first: a client that reconnects
// is faster than the discovery that its old connection is dead. Between servers the row decides (store/uploads).

import { fault } from '../faults.ts';

export interface Turn {
  /** Aborted, with a fault for a reason, when somebody newer waits. */
  readonly signal: AbortSignal;
  end(): void;
}

interface Held {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** At most one for each request that is under way. */
const turns = new Map<string, Held>();

export const isTaken = (key: string): boolean => turns.has(key);

/** Asks whoever has the turn to end it, and waits until that is done. */
export async function takeTurn(key: string): Promise<Turn> {
  const older = turns.get(key);
  const abort = new AbortController();
  let end = (): void => undefined;
  const held: Held = {
    abort,
    ended: new Promise((resolve) => {
      end = resolve;
    }),
  };
  turns.set(key, held);
  older?.abort.abort(fault('UPLOAD_BUSY'));
  await older?.ended;
  return {
    signal: abort.signal,
    end: () => {
      if (turns.get(key) === held) turns.delete(key);
      end();
    },
  };
}
