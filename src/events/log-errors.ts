// Errors as they are logged: only listed members. Errors of libraries also carry secrets: those of HTTP clients whole
// requests with their credentials, those of the database the values of records.

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
  // Errors of the database; its message may not name these.
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
  if (!(error instanceof Error))
    return { type: typeof error, message: 'a thrown value that is not an Error', stack: '' };
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

/** Errors of SQLSTATE class 22 quote the value that PostgreSQL could not read. */
function withoutValues(message: string, code: unknown): string {
  return /^22...$/.test(String(code)) ? message.replace(/".*"/s, '"…"') : message;
}

/** The stack without the message, which is logged separately. */
function framesOf({ stack = '' }: Error): string {
  const start = stack.search(/^ {4}at /m);
  return start === -1 ? '' : stack.slice(start).trimStart();
}
