// Stops PostgreSQL when this process dies, for any reason. A small shell reads a pipe that only this process holds open;
// when the pipe ends, the shell shuts the guarded process down. It does nothing else.
import { type ChildProcess, spawn } from 'node:child_process';
import { type SystemAccount, spawnOptions } from './account.ts';

/**
 * A sibling of PostgreSQL and not its parent: PostgreSQL survives the loss of the shell, and this process sees PostgreSQL's
 * exit. The shell ignores the signals that a terminal or a service manager sends to all processes, because it must outlive
 * this process. Each line names the process to guard from now on; an empty line names none.
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
  readonly #account: SystemAccount;
  readonly #print: (line: string) => void;
  #shell: ChildProcess | null = null;
  #guarded = '';
  #closed = false;
  #quickDeaths = 0;

  constructor(account: SystemAccount, print: (line: string) => void) {
    this.#account = account;
    this.#print = print;
    this.#spawn();
  }

  guard(pid: number): void {
    this.#tell(String(pid));
  }

  guardNothing(): void {
    this.#tell('');
  }

  /** Resolves when the shell has exited, so that a stop leaves no process. */
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
    // Node opens its pipes close-on-exec, so no other child process can keep this one open after our death.
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      ...spawnOptions(this.#account),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell = shell;
    // A write to a shell that has just died; its exit is handled below.
    shell.stdin?.on('error', () => {});
    shell.on('error', (error) => {
      this.#shell = null;
      this.#print(`PostgreSQL runs without its watchdog: /bin/sh could not be started (${error.message}).`);
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
      this.#print('PostgreSQL runs without its watchdog: its shell was killed too often.');
      return;
    }
    setTimeout(() => {
      if (!this.#closed) this.#spawn();
    }, RESPAWN_DELAY_MS).unref();
  }
}
