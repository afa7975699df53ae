// Sends one message to many, one after the other. Each person's request has a key that stays the same when it is sent again,
// also after the page was loaded anew, so nobody gets it twice.

import type { Client, Notification, User } from '../../../client/src/main.ts';

export interface Failed {
  readonly person: User;
  readonly error: unknown;
}

export interface SendingInput {
  /** Of this message to these people, and no other. */
  readonly key: string;
  readonly message: Notification;
  readonly people: readonly User[];
  readonly signal: AbortSignal;
  readonly onSent: (person: User) => void;
}

/** Errors that the next person would meet as well. */
const isGeneral = (error: unknown): boolean => {
  const status = (error as { readonly status?: number }).status ?? 0;
  return status === 0 || status === 401 || status === 403 || status === 429 || status >= 500;
};

/** Returns those that did not work out. Stops at an error that is not about one person, and leaves the rest unsent. */
export async function sendToAll(
  { raw }: Pick<Client, 'raw'>,
  { key, message, people, signal, onSent }: SendingInput,
): Promise<readonly Failed[]> {
  const failed: Failed[] = [];
  for (const person of people) {
    if (signal.aborted) return failed;
    try {
      const input = { userId: person.id, body: message, idempotencyKey: `${key}-${person.id}` };
      await raw.sendNotification(input, { signal });
      onSent(person);
    } catch (error) {
      if (signal.aborted) return failed;
      failed.push({ person, error });
      if (isGeneral(error)) return failed;
    }
  }
  return failed;
}

/** Not randomUUID, which browsers have for secure pages alone. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
