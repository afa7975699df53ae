// Ties the life of PostgreSQL to ours. A small shell reads a pipe that only we hold open; when we die, however that comes,
// it reads the end and shuts the guarded process down. It decides nothing else and knows no folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { type Account, spawnOptions } from './account.ts';

/**
 * A sibling, not a parent: losing it costs PostgreSQL nothing, and we stay the one who hears PostgreSQL's exit.
 * It ignores what a terminal or a service manager sends to everybody, because it must outlive us. Each line names the
 * process to guard from now on, an empty one none.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT
pid=
while read -r line; do pid=$line; done
[ -n "$pid" ] || exit 0
kill -INT "$pid" 2>/dev/null
tries=0
while kill -0 "$pid" 2>/dev/null && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries+1)); done
kill -QUIT "$pid" 2>/dev/null
`;

const CLOSE_MS = 2_000;
const RESPAWN_DELAY_MS = 100;
const QUICK_DEATH_MS = 1_000;
const QUICK_DEATHS_MAX = 5;

export class Watchdog {
  readonly #account: Account;
  readonly #note: (line: string) => void;
  #shell: ChildProcess | null = null;
  #guarded = '';
  #closed = false;
  #quickDeaths = 0;

  constructor(account: Account, note: (line: string) => void) {
    this.#account = account;
    this.#note = note;
    this.#spawn();
  }

  guard(pid: number): void {
    this.#tell(String(pid));
  }

  guardNothing(): void {
    this.#tell('');
  }

  /** Resolves when the shell is gone, so that a stop leaves no process behind. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.guardNothing();
    this.#closed = true;
    const shell = this.#shell;
    if (!shell || shell.exitCode !== null || shell.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => shell.once('exit', () => resolve()));
    shell.ref();
    shell.stdin?.end();
    const stuck = setTimeout(() => shell.kill('SIGKILL'), CLOSE_MS);
    await gone;
    clearTimeout(stuck);
  }

  #tell(line: string): void {
    this.#guarded = line;
    this.#shell?.stdin?.write(`${line}\n`);
  }

  #spawn(): void {
    const bornMs = Date.now();
    // Node opens its pipes close-on-exec, so no other child of ours can keep this one open after our death.
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      ...spawnOptions(this.#account),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell = shell;
    // A write to a shell that just died; its exit is what we act on.
    shell.stdin?.on('error', () => {});
    shell.on('error', (error) => {
      this.#shell = null;
      this.#note(`Nothing watches over PostgreSQL: /bin/sh could not be started (${error.message}).`);
    });
    shell.on('exit', () => this.#replace(Date.now() - bornMs));
    // The watchdog alone must not keep our process alive.
    shell.unref();
    if (shell.stdin && 'unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
    if (this.#guarded) this.#tell(this.#guarded);
  }

  #replace(livedMs: number): void {
    this.#shell = null;
    if (this.#closed) return;
    this.#quickDeaths = livedMs < QUICK_DEATH_MS ? this.#quickDeaths + 1 : 0;
    if (this.#quickDeaths >= QUICK_DEATHS_MAX) {
      this.#note('Nothing watches over PostgreSQL any more: the watching shell keeps being killed.');
      return;
    }
    setTimeout(() => {
      if (!this.#closed) this.#spawn();
    }, RESPAWN_DELAY_MS).unref();
  }
}
