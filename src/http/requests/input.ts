// What a request brings along: its parameters, and its body where it has one.

import { fault, tooBusy } from '../../faults.ts';
import type { Admission } from '../../gate/admission.ts';
import { networkOf } from '../../gate/throttling/network.ts';
import type { Transfers } from '../../gate/transfers.ts';
import type { RequestScope } from '../../request/request-scope.ts';
import type { Slices } from '../../request/slices.ts';
import type { HttpRequest } from '../clients/http-request.ts';
import type { ClientTimeouts } from '../clients/timeouts.ts';
import { readFile, readJsonBytes } from './body.ts';
import type { BodyMemory } from './body-memory.ts';
import { readJson } from './json.ts';
import { pathAndQuery } from './request-head.ts';
import type { Shape } from './shapes.ts';

/** What an operation sees of the request: nothing of the transport but the headers it asks for. */
export interface Input<Body> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly header: (name: string) => string | undefined;
  /** Asked for by HEAD: as GET, without the body. */
  readonly isHead: boolean;
  /** Where the client found this, without the query, for links that lead on. */
  readonly address: () => string;
  readonly body: Body;
  /** Trades the admission slot and the deadline for a transfer slot: for work that takes as long as a file does. */
  readonly beginTransfer: () => void;
  /** Begins the transfer and reads the body of an upload, up to this many bytes. Called once, after every other check. */
  readonly receiveFile: (bytesMax: number) => AsyncIterable<Uint8Array>;
}

export interface BodyRule<Body> {
  readonly shape: Shape<Body>;
  readonly bytesMax: number;
}

interface InputDependencies {
  readonly publicUrl: () => string;
  readonly publicUrlSet: boolean;
  readonly admission: Admission;
  readonly slices: Slices;
  readonly uploads: Transfers;
  readonly bodies: Bodies;
  readonly timeouts: ClientTimeouts;
}

/** Those of senders who have proved who they are, by application, and of all others, by network. */
export interface Bodies {
  readonly known: BodyMemory;
  readonly visitors: BodyMemory;
}

interface Expected {
  readonly rule: BodyRule<unknown> | undefined;
  readonly scope: RequestScope;
  /** In whose name it was sent, where that is proved. */
  readonly sender: string | undefined;
}

export async function readInput(
  means: InputDependencies,
  request: HttpRequest,
  { rule, scope, sender }: Expected,
): Promise<Input<unknown>> {
  const { publicUrl, publicUrlSet, admission, uploads, timeouts } = means;
  const body = rule === undefined ? undefined : await readBody(means, request, { rule, scope, sender });
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  // As the client addressed us, unless the operator says how clients do.
  const address = () => {
    const origin = publicUrlSet || request.host === '' ? publicUrl() : `${request.protocol}://${request.host}`;
    return origin + pathAndQuery(request.url).split('?', 1)[0];
  };
  // A file takes as long as its client and the file store need. Only its waits for the database have a deadline
  // (http/clients/deadlines).
  const beginTransfer = () => {
    scope.endTransfer ??= uploads.begin(scope.tenant);
    scope.deadlineAt = Number.POSITIVE_INFINITY;
    admission.leave(scope);
  };
  const receiveFile = (bytesMax: number) => {
    beginTransfer();
    return readFile(request.raw, bytesMax, { counted: scope, timeouts });
  };

  const isHead = request.method === 'HEAD';
  return {
    params: request.params,
    query: readQuery(request.url),
    header,
    isHead,
    address,
    body,
    beginTransfer,
    receiveFile,
  };
}

async function readBody(
  { admission, slices, bodies, timeouts }: InputDependencies,
  request: HttpRequest,
  { rule, scope, sender }: Pick<Expected, 'scope' | 'sender'> & { rule: BodyRule<unknown> },
): Promise<unknown> {
  const { raw } = request;
  const { shape, bytesMax } = rule;
  const reading = readJsonBytes(raw, bytesMax, timeouts);
  const read = async (bytes: Buffer) =>
    shape.read(await readJson(bytes, { slices, scope, elementsMax: shape.elementsMax }));
  // What came with the headers is there by then, though its end may not have been told: nobody is waited for, and the place is kept.
  await undefined;
  if (raw.complete || reading.isWhole()) return read(await reading.bytes);
  const end =
    sender === undefined
      ? bodies.visitors.begin(networkOf(request.address), reading)
      : bodies.known.begin(sender, reading);
  try {
    // Until it has its place again it is kept as it came: what is made of it takes many times the memory.
    return await read(await admission.waitForClient(scope, () => reading.bytes));
  } finally {
    end();
    reading.stop(tooBusy());
    reading.bytes.catch(() => undefined);
  }
}

/** A parameter that is given twice counts as first given. */
function readQuery(url: string): Record<string, string | undefined> {
  const start = url.indexOf('?');
  const query: Record<string, string | undefined> = Object.create(null) as Record<string, string | undefined>;
  if (start === -1) return query;
  const text = url.slice(start + 1);
  for (const [name, value] of new URLSearchParams(text)) query[name] ??= value;
  return query;
}

interface QueryRule {
  readonly parameters?: readonly string[];
  readonly refusesOthers?: true;
}

/** What is wrong with the query whatever the operation makes of it. */
export function checkQuery(url: string, { parameters = [], refusesOthers }: QueryRule): void {
  const start = url.indexOf('?');
  if (start === -1) return;
  const text = url.slice(start + 1);
  if (refusesOthers) refuseOthers(text, parameters);
  // Names may be encoded too; where others are refused, all that are left are read.
  if (text.includes('%')) refuseBrokenEncoding(text, (name) => refusesOthers === true || parameters.includes(name));
}

function refuseOthers(text: string, parameters: readonly string[]): void {
  const given = new Set<string>();
  for (const [name] of new URLSearchParams(text)) {
    const parameter = name.slice(0, NAME_SHOWN_MAX);
    if (!parameters.includes(name)) {
      const known = parameters.length === 0 ? 'takes none' : `takes ${parameters.join(', ')}`;
      throw fault('INVALID_PARAMETER', { parameter, reason: `is not known: the operation ${known}` });
    }
    if (given.has(name)) throw fault('INVALID_PARAMETER', { parameter, reason: 'is given more than once' });
    given.add(name);
  }
}

/** Of a parameter that nobody knows. */
const NAME_SHOWN_MAX = 100;

/**
 * URLSearchParams puts U+FFFD for what it cannot decode: another search than was meant would be run. What nobody reads
 * harms nobody.
 */
function refuseBrokenEncoding(text: string, isRead: (name: string) => boolean): void {
  for (const part of text.split('&')) {
    const [name = ''] = part.split('=', 1);
    if (!isRead(name)) continue;
    try {
      decodeURIComponent(part);
    } catch {
      throw fault('INVALID_PARAMETER', { parameter: name, reason: 'is not percent-encoded UTF-8' });
    }
  }
}
