// Standard output that cannot be written to: a reader that has gone (`| head`), or a full disk.

import { EXIT_CODES } from './failure.ts';

/** As a shell reports a program that SIGPIPE ended. */
const BROKEN_PIPE = 141;

/** `console.log` swallows errors of its stream, so that a full disk would look like success. */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(BROKEN_PIPE);
    process.stderr.write(`Cannot write the output: ${writeProblem(error)}\n`);
    process.exit(EXIT_CODES.failed);
  });
  process.stderr.on('error', () => process.exit(EXIT_CODES.failed));
}

/** Of a file that is written, not of the connection that its content comes from. */
export function isFileProblem(error: unknown): error is NodeJS.ErrnoException {
  const { syscall = '' } = Object(error) as NodeJS.ErrnoException;
  return ['open', 'mkdir', 'write', 'fsync', 'rename', 'link', 'close'].includes(syscall);
}

const WRITE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full.',
  EDQUOT: 'your part of the disk is full.',
  ENOENT: 'its folder does not exist.',
  EACCES: 'you may not write there.',
  EROFS: 'nothing can be written there.',
};

/** Node's `mkdir` of a folder and those above it says ENOENT too where it may not make one. */
export const writeProblem = ({ code = '', syscall, message }: NodeJS.ErrnoException): string =>
  syscall === 'mkdir' && code === 'ENOENT' ? 'its folder cannot be made.' : (WRITE_PROBLEMS[code] ?? message);

/** Waits while the reader is slower than the command, so that nothing large is held in memory. */
export async function print(text: string | Uint8Array): Promise<void> {
  if (process.stdout.write(text)) return;
  await new Promise<void>((resolve) => process.stdout.once('drain', resolve));
}
