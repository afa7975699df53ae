// The open sessions of a user: listed and ended by the user, and by users with management access.

import type { Context } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { isOpen } from '../../domain/people/sessions.ts';
import { fault } from '../../faults.ts';
import { getAccount } from '../../store/people/accounts.ts';
import { type ListedSession, listSessions } from '../../store/people/sessions.ts';
import type { OpenSession } from '../../wire/sessions.ts';
import { permitFor } from './managed-user.ts';
import { end } from './sessions.ts';

/** Bounds an unknown identifier in a reply: it may be as long as a URL. */
const SESSION_ID_SHOWN_MAX = 64;

export async function list(context: Context, userId: string): Promise<OpenSession[]> {
  await permitFor(context, userId);
  return (await openSessions(context, userId)).map(({ id, createdAt, rotatedAt, expiresAt, ip, agent }) => ({
    ...{ id, ip, agent },
    createdAt: isoTime(createdAt),
    lastUsedAt: isoTime(rotatedAt),
    expiresAt: isoTime(expiresAt),
    current: id === context.sessionId,
  }));
}

export async function endOne(context: Context, userId: string, sessionId: string): Promise<void> {
  await permitFor(context, userId);
  const open = await openSessions(context, userId);
  if (!open.some(({ id }) => id === sessionId)) {
    throw fault('SESSION_NOT_FOUND', { sessionId: sessionId.slice(0, SESSION_ID_SHOWN_MAX) });
  }
  await endFor(context, userId, sessionId);
}

/** All but the session of the request. */
export async function endOthers(context: Context, userId: string): Promise<void> {
  await permitFor(context, userId);
  for (const { id } of await openSessions(context, userId)) {
    if (id !== context.sessionId) await endFor(context, userId, id);
  }
}

async function openSessions({ application, database, store, now }: Context, userId: string): Promise<ListedSession[]> {
  const account = await getAccount(database, application.id, userId);
  if (account === undefined || account.disabled) return [];
  const sessions = await listSessions(store, userId);
  return sessions.filter((session) => isOpen(application, account.epoch, session, now()));
}

/** The log says whose session it was, unless it was the caller's own. */
const endFor = (context: Context, userId: string, sessionId: string): Promise<void> => {
  const { application, caller, source, ids, store, people } = context;
  const scene = { application, caller, source, ids, store, invalidate: people.invalidate };
  return end(scene, userId === caller.id ? { sessionId } : { sessionId, userId });
};
