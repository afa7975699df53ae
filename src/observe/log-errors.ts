// Errors as log lines show them: what helps to find the cause, from a list. Errors of libraries carry much else, some of
// it secret: those of HTTP clients whole requests with their credentials, those of the database the values of records.

const MEMBERS = [
  'code',
  'status',
  'statusCode',
  'errno',
  'syscall',
  'hostname',
  'address',
  'port',
  'path',
  // Of the database, where its message names none of them.
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
];
const CAUSES_MAX = 5;
const TEXT_MAX = 8_000;

export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  readonly cause?: LoggedError;
  readonly [member: string]: unknown;
}

export function errorForLog(error: unknown, depth = 1): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'something that is no error', stack: '' };
  const members = error as Error & Record<string, unknown>;
  const shown = MEMBERS.filter((name) => ['string', 'number'].includes(typeof members[name]));
  const message = withoutValues(error.message, members.code);
  const first = Array.isArray(members.errors) ? (members.errors[0] as unknown) : undefined;
  const cause = error.cause ?? first;
  return {
    type: error.name,
    message: message.slice(0, TEXT_MAX),
    stack: framesOf(error).slice(0, TEXT_MAX),
    ...Object.fromEntries(shown.map((name) => [name, members[name]])),
    ...(cause instanceof Error && depth < CAUSES_MAX ? { cause: errorForLog(cause, depth + 1) } : {}),
  };
}

/** PostgreSQL quotes the value that it could not read (SQLSTATE of class 22). */
function withoutValues(message: string, code: unknown): string {
  return /^22...$/.test(String(code)) ? message.replace(/".*"/s, '"…"') : message;
}

/** The message stands at the head of the stack, and is shown beside it already. */
function framesOf({ stack = '' }: Error): string {
  const start = stack.search(/^ {4}at /m);
  return start === -1 ? '' : stack.slice(start).trimStart();
}
