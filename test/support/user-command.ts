// A person at a command line of their own: a folder with their logins, in which commands run against a test server.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Person, TestApplication } from './application.ts';
import { type Finished, run } from './command.ts';
import type { TestServer } from './server.ts';

export interface Terminal {
  readonly folder: string;
  run(args: readonly string[], input?: string, env?: Record<string, string>): Promise<Finished>;
  /** Standard output of a command that succeeds. */
  good(args: readonly string[], input?: string, env?: Record<string, string>): Promise<string>;
  login(application: TestApplication, person: Person, ...more: string[]): Promise<string>;
  close(): Promise<void>;
}

export async function openTerminal(server: TestServer): Promise<Terminal> {
  const folder = await mkdtemp(join(tmpdir(), 'cartulary-user-'));
  const cartulary = (args: readonly string[], input = '', env: Record<string, string> = {}) =>
    run(args, { cwd: folder, input, env });
  const good = async (args: readonly string[], input = '', env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await cartulary(args, input, env);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  return {
    folder,
    run: cartulary,
    good,
    login: ({ id }, { id: user, password }, ...more) =>
      good(['login', server.address, '--application', id, '--user', user, '--password-stdin', ...more], password),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
