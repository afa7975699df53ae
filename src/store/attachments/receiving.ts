// Which attachments this server is receiving right now, by their identifiers: a row that names this server and is not
// among them is left over. Each has one sender at a time, and the newest comes first: a client that reconnects is faster
// than the discovery that its old connection is dead. Between servers the row decides (store/attachments/uploads).

import { fault } from '../../faults.ts';

interface Turn {
  /** Aborted, with a fault for a reason, when somebody newer waits. */
  readonly signal: AbortSignal;
  end(): void;
}

interface Held {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** An announced upload whose row may name this server although nothing of it is being received. */
interface Unreleased {
  readonly applicationId: string;
  /** From then on it is the sweep's. */
  readonly expiresAt: string;
}

export class Receiving {
  /** By attachment; at most one for each request that was under way when the database was away. */
  readonly unreleased = new Map<string, Unreleased>();
  /** At most one for each request that is under way. */
  readonly #turns = new Map<string, Held>();

  has(attachmentId: string): boolean {
    return this.#turns.has(attachmentId);
  }

  /** Asks whoever has the turn to end it, and waits until that is done. It is being received from the call on. */
  async takeTurn(attachmentId: string): Promise<Turn> {
    const older = this.#turns.get(attachmentId);
    const abort = new AbortController();
    let end = (): void => undefined;
    const held: Held = {
      abort,
      ended: new Promise((resolve) => {
        end = resolve;
      }),
    };
    this.#turns.set(attachmentId, held);
    older?.abort.abort(fault('UPLOAD_BUSY'));
    await older?.ended;
    return {
      signal: abort.signal,
      end: () => {
        if (this.#turns.get(attachmentId) === held) this.#turns.delete(attachmentId);
        end();
      },
    };
  }
}
