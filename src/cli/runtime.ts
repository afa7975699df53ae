// The Node that runs the server: the young generation of its heap, how many threads collect it and when, and whether it still gets
// security updates. How far the rest of the heap grows is in load/heap-growth.

/**
 * Megabytes of a half of the young generation, and how to ask for them. Node 20 and 22 take 16 by themselves. Node 24 takes up
 * to 64, which the server fills with garbage before any of it is collected: with 16 the rows of the limit bench took 10 to 60 MB
 * less (`get` 162 for 175 MB, `create 1` 190 for 244; single rounds on a busy machine). On Node 20, 8 took more processor time
 * for `list newest 100` and `create 1`, and 32 took up to 24 MB more.
 */
const YOUNG_GENERATION = '--max-semi-space-size=16';
const FIRST_WITH_MORE = 23;
/**
 * One thread collects garbage beside the event loop. V8 starts four, and on two cores the event loop waited for a processor that
 * they had, and inside a collection for whichever of them had none: beside a neighbour's bodies of 1 MB, with one thread at a lower
 * priority (load/priority), the p99 of requests was 15 to 16 ms instead of 26 to 28 (`npm run bench -- neighbours` on Node 20).
 * Whoever has more cores starts more processes (`--workers`). `package.json` gives the flag for a start from the sources.
 */
const POOL = '--v8-pool-size=1';
/**
 * No collections of an idle server. They find no request under way, so V8 lets go of what it knows of the objects of requests, and
 * of the code that it compiled for them: after five idle seconds, 32 connections that create records had 1,100 to 1,600 a second
 * instead of 1,600 to 2,100, for a third more processor time (bursts of half a second on Node 20). `package.json` gives this one too.
 */
const IDLE = '--no-memory-reducer';

interface Runtime {
  readonly version: string;
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly send?: unknown;
  /** Node 20 does not have it. */
  readonly execve?: (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => void;
}

/**
 * Replaces this process by itself with a smaller young generation and fewer collecting threads, where Node would take more
 * memory by default. Both are set before the first line of a program runs, so a flag cannot be set later. The process keeps its
 * identifier, its folder and its standard streams; it would lose a channel to its parent, so one that has such a channel stays
 * as it is. Whoever gives a size of their own, to Node or in NODE_OPTIONS, gets it, and so does whoever gives Node a number of
 * threads.
 */
export function restartWithHeapFlags(runtime: Runtime = process): void {
  const { execPath, execArgv, argv, env, send, execve } = runtime;
  const isChosen = [...execArgv, env.NODE_OPTIONS ?? ''].some((text) => /--m(ax|in)[-_]semi[-_]space/.test(text));
  if (majorOf(runtime.version) < FIRST_WITH_MORE || isChosen || send !== undefined || execve === undefined) return;
  try {
    // The last of two values counts.
    execve.call(runtime, execPath, [execPath, YOUNG_GENERATION, POOL, IDLE, ...execArgv, ...argv.slice(1)], env);
  } catch {
    // Not on this system, or not permitted: the server runs as well with more memory.
  }
}

const majorOf = (version: string): number => Number.parseInt(version.replace(/^v/, ''), 10);

/** The last month with security updates, by major version. Others have none, or are newer than this table. */
const LAST_UPDATES: Readonly<Record<number, string>> = { 20: '2026-04', 21: '2024-06', 22: '2027-04', 23: '2025-06' };
const RECOMMENDED = 24;

/** A sentence for the operator of a Node that no longer gets security updates. */
export function adviceAboutNode(version: string, now: Date): string | undefined {
  const major = majorOf(version);
  const last = LAST_UPDATES[major];
  if (last === undefined || now.toISOString().slice(0, 7) <= last) return undefined;
  const month = new Date(`${last}-15`).toLocaleString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return `Node ${major} has had no security updates since ${month}. Cartulary runs on it; Node ${RECOMMENDED} is recommended.`;
}
