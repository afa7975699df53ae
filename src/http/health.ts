// Liveness and readiness, for load balancers and supervisors.

import { fault } from '../faults.ts';
import { type Answer, answerText } from './answer.ts';

export interface Health {
  /** Whether requests can be served: the database answers and is migrated. */
  readonly ready: () => Promise<boolean>;
  /** Whether the server was asked to end: it still serves, and is to be sent nothing more. */
  readonly stopping: () => boolean;
}

const READY_MS = 2_000;
const HEADERS = { 'cache-control': 'no-store' };

export const alive = (): Answer => answerText('{"status":"ok"}', HEADERS);

export async function ready(health: Health): Promise<Answer> {
  if (health.stopping()) throw fault('UNAVAILABLE', { reason: 'stopping' }, { 'retry-after': '1', ...HEADERS });
  if (await within(READY_MS, health.ready())) return answerText('{"status":"ready"}', HEADERS);
  throw fault('UNAVAILABLE', { reason: 'database' }, { 'retry-after': '1', ...HEADERS });
}

async function within(milliseconds: number, answer: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([answer.catch(() => false), late]);
  } finally {
    clearTimeout(timer);
  }
}
