// Passwords that commands take: typed on the terminal, where they are not shown, or from standard input. Never from an
// argument, which other accounts of the machine could read in the list of processes.

import { text } from 'node:stream/consumers';
import { CommandFailure, usageFailure } from '../failure.ts';
import { askUnseen } from '../prompts.ts';
import type { OptionRow } from './row.ts';

export interface PasswordOptions {
  readonly passwordStdin?: true;
}

export const PASSWORD_OPTION: OptionRow = {
  flags: '--password-stdin',
  text: 'read the password from standard input; otherwise it is asked for on the terminal',
};

export const passwordAdvice = (flag: string): string | undefined =>
  flag === '--password'
    ? 'A password is not given as an argument, which other accounts of the machine could read: pipe it in with --password-stdin, or leave the option out and type it on the terminal.'
    : undefined;

export async function readPassword({ passwordStdin }: PasswordOptions): Promise<string> {
  if (passwordStdin) return readPiped('password');
  if (process.stdin.isTTY) return askPassword(process.stdin, process.stderr);
  throw usageFailure(
    'A password is needed: pipe it in with --password-stdin, or run the command on a terminal, which asks for it.',
  );
}

/** The whole of standard input without the line break at its end. */
export async function readPiped(what: 'password' | 'token'): Promise<string> {
  const piped = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (piped === '') throw new CommandFailure(`Standard input was empty; it should hold the ${what}.`);
  return piped;
}

/** Asks twice, because what is typed cannot be seen. */
export async function askPassword(
  terminal: NodeJS.ReadableStream,
  shown: Pick<NodeJS.WritableStream, 'write'>,
): Promise<string> {
  const password = await askUnseen(terminal, shown, 'Password: ');
  if (password === '') throw new CommandFailure('The password was empty.');
  if ((await askUnseen(terminal, shown, 'The same password again: ')) === password) return password;
  throw new CommandFailure('The two passwords differ.');
}
