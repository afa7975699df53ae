// Questions to a person at a terminal. They go to standard error: standard output is for what a command prints.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailure } from './failure.ts';

type Shown = Pick<NodeJS.WritableStream, 'write'>;

export const isAtTerminal = (): boolean => process.stdin.isTTY === true;

export async function askLine(question: string, fallback = ''): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>((resolve, reject) => {
      refuseWithout(lines, 'no answer was given', reject);
      const hint = fallback === '' ? '' : ` [${fallback}]`;
      lines.question(`${question}${hint}: `).then((line) => resolve(line.trim() || fallback), reject);
    });
  } finally {
    lines.close();
  }
}

export async function confirm(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await askLine(`${question} [y/N]`));
}

export async function askUnseen(input: NodeJS.ReadableStream, shown: Shown, question: string): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  // As for a terminal: the terminal then leaves showing what is typed to readline, which writes into nothing.
  const lines = createInterface({ input, output, terminal: true });
  try {
    return await new Promise((resolve, reject) => {
      refuseWithout(lines, 'no password was given', reject);
      lines.question('').then(resolve, reject);
      shown.write(question);
    });
  } finally {
    lines.close();
    shown.write('\n');
  }
}

function refuseWithout(
  lines: ReturnType<typeof createInterface>,
  what: string,
  reject: (failure: CommandFailure) => void,
): void {
  for (const event of ['SIGINT', 'close'] as const) {
    lines.once(event, () => reject(new CommandFailure(`Nothing was done: ${what}.`)));
  }
}
