// Lowers the priority of processes that work for the server: what takes long gets the processors that short requests leave.

import { writeFileSync } from 'node:fs';
import os from 'node:os';

/** Beside a process of normal priority that wants the same processor it gets a tenth of it; on its own, all of it. */
const NICENESS = os.constants.priority.PRIORITY_BELOW_NORMAL;

/** For a process of the server's own account. */
export function lowerPriority(pid: number): void {
  // The process may have ended, or the account may lack the right: the priority then stays as it is.
  attempt(() => os.setPriority(pid, NICENESS));
}

/**
 * For a process that leads a session, as each process of PostgreSQL does. Where Linux groups processes by session (autogroup),
 * niceness counts only within the group, so that of the group is raised as well. For a process that leads none it would slow
 * down the whole session of the server.
 */
export function lowerSessionPriority(pid: number): void {
  lowerPriority(pid);
  attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS)));
}

function attempt(change: () => void): void {
  try {
    change();
  } catch {}
}
