// Inspects processes of this machine (is it alive, is it still the same process, is it a PostgreSQL of our folder) and
// stops them step by step. Reads /proc on Linux and `ps` on other systems. Nothing here starts a server.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const onLinux = process.platform === 'linux';
const POLL_MS = 20;

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function ps(...parameters: string[]): string | null {
  return attempt(() => execFileSync('ps', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * The start time of a process, as an opaque text that differs for a later process with the same pid. Null if there is no
 * such process (a zombie does not count, it holds nothing any more), '' if it runs but its start time cannot be read.
 */
export function bornAt(pid: number): string | null {
  if (!answersSignals(pid)) return null;
  if (onLinux) {
    const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (stat === null) return answersSignals(pid) ? '' : null;
    // The name in parentheses may hold anything, so fields are counted from its end; see proc_pid_stat(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? '';
    return `${boot} ${fields[19]}`;
  }
  const line = ps('-o', 'stat=', '-o', 'lstart=', '-p', String(pid))?.trim();
  if (!line) return answersSignals(pid) ? '' : null;
  return line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
}

function commandOf(pid: number): string {
  if (!onLinux) return ps('-ww', '-o', 'command=', '-p', String(pid))?.trim() ?? '';
  return attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()) ?? '';
}

function isPostgresCommand(command: string): boolean {
  return command.startsWith('postgres:') || path.basename(command.split(' -D ')[0] ?? '') === 'postgres';
}

/**
 * Whether this process is a running PostgreSQL of `cluster`. Its working folder decides, which stays correct when the
 * folder is moved. If that cannot be read, the `-D` of its command line must name the folder.
 */
export function isPostgresOf(pid: number, cluster: string): boolean {
  if (bornAt(pid) === null) return false;
  const command = commandOf(pid);
  if (!isPostgresCommand(command)) return false;
  const workingFolder = onLinux ? attempt(() => readlinkSync(`/proc/${pid}/cwd`)) : null;
  return workingFolder === null ? command.includes(` -D ${cluster} `) : workingFolder === cluster;
}

/**
 * Every PostgreSQL process of `cluster`, including backends of a dead postmaster. On systems other than Linux, a backend
 * is only recognised by the cluster's name in its title.
 */
export function postgresProcessesOf(cluster: string, clusterName: string): number[] {
  if (onLinux) {
    const pids = (attempt(() => readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name)).map(Number);
    return pids.filter(
      (pid) => attempt(() => readlinkSync(`/proc/${pid}/cwd`)) === cluster && isPostgresOf(pid, cluster),
    );
  }
  const lines = (ps('-axww', '-o', 'pid=', '-o', 'command=') ?? '')
    .split('\n')
    .map((line) => line.trim().match(/^(\d+) (.*)$/));
  const ours = lines.filter(
    (line) => line?.[2]?.startsWith(`postgres: ${clusterName}: `) || line?.[2]?.includes(`/postgres -D ${cluster} `),
  );
  return ours.map((line) => Number(line?.[1]));
}

/** Polls until `done` holds; false when `boundMs` pass first. */
export async function waitUntil(done: () => boolean, boundMs: number): Promise<boolean> {
  for (const deadline = Date.now() + boundMs; !done(); ) {
    if (Date.now() >= deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** Fast shutdown, immediate shutdown, kill. Only the first flushes everything; after the others PostgreSQL recovers. */
const STOP_STEPS = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 8_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
] as const;

/** Stops a postmaster. `isAlive` is checked before each signal, so that a process with a reused pid gets none. */
export async function endPostmaster(pid: number, isAlive: () => boolean): Promise<boolean> {
  for (const { signal, waitMs } of STOP_STEPS) {
    if (!isAlive()) return true;
    attempt(() => process.kill(pid, signal));
    if (await waitUntil(() => !isAlive(), waitMs)) return true;
  }
  return false;
}

/**
 * Stops backends that outlived their postmaster. An idle backend notices by itself, a busy one only when it next waits.
 * SIGQUIT is what a postmaster sends to its backends after a crash.
 */
export async function endBackends(cluster: string, clusterName: string): Promise<boolean> {
  const alive = () => postgresProcessesOf(cluster, clusterName);
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const pid of alive()) attempt(() => process.kill(pid, signal));
    if (await waitUntil(() => alive().length === 0, 5_000)) return true;
  }
  return false;
}
