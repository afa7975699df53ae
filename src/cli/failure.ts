// An expected failure of a command. Its message is a sentence for a person, printed without a stack. Its exit code tells
// a script what kind of failure it was; docs/command-line.md lists them.

export const EXIT_CODES = {
  /** Anything else, such as a file that cannot be written, or problems that `doctor` found. */
  failed: 1,
  /** The command itself is wrong: its words, options or settings. */
  usage: 2,
  /** What was named does not exist, or this user may not know that it does. */
  notFound: 3,
  /** No login, wrong credentials, or a right is missing. */
  noRight: 4,
  /** The server understood the request and refused what it says. */
  refused: 5,
  /** No server, no reply, too many requests: the same command may succeed later. */
  unavailable: 6,
} as const;

export type Exit = keyof typeof EXIT_CODES;

export class CommandFailure extends Error {
  readonly exit: Exit;

  constructor(message: string, { cause, exit = 'failed' }: { readonly cause?: unknown; readonly exit?: Exit } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.exit = exit;
  }
}

export const usageFailure = (message: string): CommandFailure => new CommandFailure(message, { exit: 'usage' });

/** For a reply that is no success. */
export function exitOfStatus(status: number): Exit {
  if (status === 404) return 'notFound';
  if (status === 401 || status === 403) return 'noRight';
  return status === 408 || status === 429 || status >= 500 ? 'unavailable' : 'refused';
}
