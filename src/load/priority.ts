// Lowers the priority of processes and threads that work for the server: what takes long gets the processors that short requests
// leave.

import { readdirSync, writeFileSync } from 'node:fs';
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

/** Beside the event loop a thread gets a third of a processor that both want. */
const THREAD_NICENESS = 5;
const NICENESS_MAX = 19;

/**
 * For the threads of this process besides the event loop: V8's, which collect garbage, and libuv's, for files and passwords. On
 * two cores the event loop waited for a processor that they had, up to 20 ms in the middle of a request. Linux alone has priorities
 * of threads. Threads that start later have normal priority, so the server must have read a file before.
 */
export function lowerOtherThreads(): void {
  attempt(() => {
    const niceness = Math.min(NICENESS_MAX, os.getPriority() + THREAD_NICENESS);
    for (const thread of readdirSync('/proc/self/task')) {
      if (Number(thread) !== process.pid) attempt(() => os.setPriority(Number(thread), niceness));
    }
  });
}

function attempt(change: () => void): void {
  try {
    change();
  } catch {}
}
