// What the page asks of the server, as it is sent, for those who want a program to do the same. Everything that the console
// sends comes by here, so what is shown is what was sent. Credentials and passwords are not kept.

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: SentBody | undefined;
}

/** What is not kept is too long to be read, or a file. */
export type SentBody = { readonly json: string } | { readonly notKept: 'json' | 'file' };

const BODY_LENGTH_MAX = 20_000;
const CHANGES_MAX = 10;

const ofQueries = new WeakMap<object, SentRequest[]>();
let changes: readonly SentRequest[] = [];
let asking: SentRequest[] | undefined;

/** What a query sends before it first waits is its request. */
export function notingRequests<Result>(query: object, ask: () => Result): Result {
  const sent: SentRequest[] = [];
  ofQueries.set(query, sent);
  asking = sent;
  try {
    return ask();
  } finally {
    asking = undefined;
  }
}

export function noteRequest(url: string, init: RequestInit = {}): void {
  const { method = 'GET', headers, body } = init;
  const { authorization: _, ...kept } = Object.fromEntries(new Headers(headers));
  const request = { method, url, headers: kept, body: bodyOf(body) };
  if (method !== 'GET') changes = [request, ...changes].slice(0, CHANGES_MAX);
  else asking?.push(request);
}

/** A member that holds a secret, as text. In the text of a value, its quotes would have backslashes. */
const SECRETS = /"(\w*(?:password|secret|token|auth)\w*)":"(?:[^"\\]|\\.)*"/gi;

function bodyOf(body: RequestInit['body']): SentBody | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body !== 'string') return { notKept: 'file' };
  if (body.length > BODY_LENGTH_MAX) return { notKept: 'json' };
  return { json: body.replaceAll(SECRETS, '"$1":"…"') };
}

export const requestsOf = (query: object): readonly SentRequest[] => ofQueries.get(query) ?? [];

/** The latest first. */
export const latestChanges = (): readonly SentRequest[] => changes;

/** Another person has sent them. */
export function forgetChanges(): void {
  changes = [];
}
