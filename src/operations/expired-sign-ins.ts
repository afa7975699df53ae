// Takes away what is left of sessions, single sign-ons and password resets whose time is over. They count for nothing
// already; this keeps the tables small.

import type { OperatorContext } from '../context.ts';
import { SESSION_IDLE_MS } from '../domain/session-times.ts';
import { removeExpired } from '../store/sessions.ts';
import { StaleDefinition } from '../store/sqlstate.ts';
import { isoTime } from './record-drafts.ts';
import { everyApplication } from './upkeep.ts';

export async function sweepSignIns(
  context: Pick<OperatorContext, 'database' | 'now'>,
  signal: AbortSignal,
): Promise<void> {
  const { database, now } = context;
  for await (const applicationId of everyApplication(context)) {
    if (signal.aborted) return;
    try {
      const times = { now: isoTime(now()), idleSince: isoTime(now() - SESSION_IDLE_MS) };
      await removeExpired(database.application(applicationId), times);
    } catch (error) {
      // Removed meanwhile.
      if (!(error instanceof StaleDefinition)) throw error;
    }
  }
}
