// The attachments that this node is receiving right now: a row that names this node and is not among them was left over
// by a crash. Each upload has one sender at a time, and the newest wins: a client reconnects before its old connection
// is known to be dead. Between nodes the row decides (store/attachments/announced-uploads).

import { fault } from '../../faults.ts';

interface ActiveUpload {
  /** Aborted, with a fault as its reason, when a newer request wants the same upload. */
  readonly signal: AbortSignal;
  end(): void;
}

interface Entry {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** An announced upload whose row may name this node although nothing of it is being received. */
interface UnreleasedClaim {
  readonly applicationId: string;
  /** Afterwards the sweep removes the upload. */
  readonly expiresAt: string;
}

/** The Idempotency-Key of an upload that has ended, which may still have its row. */
interface UnreleasedKey {
  readonly applicationId: string;
  readonly userId: string;
  readonly key: string;
}

export class ActiveUploads {
  /** By attachment; at most one for each request that was being handled while the database was unavailable. */
  readonly unreleased = new Map<string, UnreleasedClaim>();
  /** The same. */
  readonly unreleasedKeys = new Map<string, UnreleasedKey>();
  /** By attachment; at most one for each request. */
  readonly #entries = new Map<string, Entry>();

  has(attachmentId: string): boolean {
    return this.#entries.has(attachmentId);
  }

  /** Aborts an older request to the same upload and waits until it has ended. `has` is true from the call on. */
  async begin(attachmentId: string): Promise<ActiveUpload> {
    const older = this.#entries.get(attachmentId);
    const abort = new AbortController();
    let end = (): void => undefined;
    const entry: Entry = {
      abort,
      ended: new Promise((resolve) => {
        end = resolve;
      }),
    };
    this.#entries.set(attachmentId, entry);
    older?.abort.abort(fault('UPLOAD_BUSY'));
    await older?.ended;
    return {
      signal: abort.signal,
      end: () => {
        if (this.#entries.get(attachmentId) === entry) this.#entries.delete(attachmentId);
        end();
      },
    };
  }
}
