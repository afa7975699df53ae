// What was sent, and what became of it, for admins.

import type { Context } from '../../context.ts';
import { LAST_KEY } from '../../domain/ids.ts';
import { listSent, type StoredNotification } from '../../store/notifications/sent.ts';
import type { SentNotification } from '../../wire/notifications.ts';
import { requirePush } from './devices.ts';
import type { StoredMessage } from './notifications.ts';

export interface SentPage {
  readonly notifications: readonly SentNotification[];
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined;
}

export async function sent(
  context: Context,
  { after = LAST_KEY, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<SentPage> {
  requirePush(context);
  const stored = await listSent(context.store, { before: after, limit });
  return { notifications: stored.map(shown), next: stored.length < limit ? undefined : stored.at(-1)?.id };
}

function shown({ message, deliveries, ...rest }: StoredNotification): SentNotification {
  const { title, body, url } = JSON.parse(message) as StoredMessage;
  return { ...rest, title, body, ...(url === undefined ? {} : { url }), deliveries: [...deliveries] };
}
