// Passwords that commands take: typed on the terminal, where they are not shown, or from standard input. Never from an
// argument, which other accounts of the machine could read in the list of processes.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandFailure } from '../failure.ts';
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
  if (passwordStdin) return readPiped();
  if (process.stdin.isTTY) return askPassword(process.stdin, process.stderr);
  throw new CommandFailure(
    'A password is needed: pipe it in with --password-stdin, or run the command on a terminal, which asks for it.',
  );
}

async function readPiped(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password === '') throw new CommandFailure('Standard input was empty; it should hold the password.');
  return password;
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

async function askUnseen(
  input: NodeJS.ReadableStream,
  shown: Pick<NodeJS.WritableStream, 'write'>,
  question: string,
): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  // As for a terminal: the terminal then leaves showing what is typed to readline, which writes into nothing.
  const lines = createInterface({ input, output, terminal: true });
  try {
    return await new Promise((resolve, reject) => {
      for (const event of ['SIGINT', 'close'] as const) {
        lines.once(event, () => reject(new CommandFailure('Nothing was done: no password was given.')));
      }
      lines.question('').then(resolve, reject);
      shown.write(question);
    });
  } finally {
    lines.close();
    shown.write('\n');
  }
}
