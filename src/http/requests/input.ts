// The input of an operation: the parameters of the request, and its body if it has one.

import { sha256HexInSlices } from '../../domain/hash.ts';
import { Fault, tooBusy } from '../../faults.ts';
import type { Admission } from '../../gate/admission.ts';
import { networkOf } from '../../gate/throttling/network.ts';
import type { Transfers } from '../../gate/transfers.ts';
import type { Slices } from '../../load/slices.ts';
import type { RequestScope } from '../../request/request-scope.ts';
import type { HttpRequest } from '../clients/http-request.ts';
import type { ReadOwner } from '../clients/large-reads.ts';
import { IncomingRequest } from '../clients/small-chunks.ts';
import type { ClientTimeouts } from '../clients/timeouts.ts';
import { arrivedJsonBytes, readFile, readJsonBytes } from './body.ts';
import type { BodyMemory } from './body-memory.ts';
import { readJson } from './json.ts';
import { type Query, readQuery } from './query.ts';
import { pathOf } from './request-head.ts';
import type { Shape } from './shapes.ts';

/** Operations see nothing else of the request. */
export interface Input<Body> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly header: (name: string) => string | undefined;
  /** The request is a HEAD: handled as GET, without the body. */
  readonly isHead: boolean;
  /** The URL of the request as the client sees it, without the query: for links. */
  readonly address: () => string;
  readonly body: Body;
  /** Of a request with an Idempotency-Key: the SHA-256 of its JSON body, in hex. */
  readonly bodyHash: string | undefined;
  /** Of such a request: why its body was refused, after it was read whole. There is no `body` then. */
  readonly bodyFault: Fault | undefined;
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

/** For requests with valid credentials, by application; for all others, by network. */
export interface Bodies {
  readonly known: BodyMemory;
  readonly visitors: BodyMemory;
}

interface Expected {
  readonly rule: BodyRule<unknown> | undefined;
  readonly scope: RequestScope;
  /** The tenant that a body counts for, if the request has valid credentials. */
  readonly sender: string | undefined;
  /** The request has an Idempotency-Key. */
  readonly keyed: boolean;
}

type ReadBody = Pick<Input<unknown>, 'body' | 'bodyHash' | 'bodyFault'>;

const NO_BODY: ReadBody = { body: undefined, bodyHash: undefined, bodyFault: undefined };

/** A promise only if there is a body to read. */
export function readInput(
  dependencies: InputDependencies,
  request: HttpRequest,
  { rule, scope, sender, keyed }: Expected,
): Promise<Input<unknown>> | Input<unknown> {
  if (rule === undefined) return inputOf(dependencies, request, { scope, read: NO_BODY });
  const reading = readBody(dependencies, request, { rule, scope, sender, keyed });
  return reading.then((read) => inputOf(dependencies, request, { scope, read }));
}

function inputOf(
  dependencies: InputDependencies,
  request: HttpRequest,
  { scope, read: { body, bodyHash, bodyFault } }: { scope: RequestScope; read: ReadBody },
): Input<unknown> {
  const { publicUrl, publicUrlSet, admission, slices, uploads, timeouts } = dependencies;
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  // As the client addressed the server, unless the operator has set a public URL.
  const address = () => {
    const origin = publicUrlSet || request.host === '' ? publicUrl() : `${request.protocol}://${request.host}`;
    return origin + pathOf(request.url);
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
    setOwner(request, scope, { slices, kind: 'file' });
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
    bodyHash,
    bodyFault,
    beginTransfer,
    receiveFile,
  };
}

async function readBody(
  { admission, slices, bodies, timeouts }: InputDependencies,
  request: HttpRequest,
  { rule, scope, sender, keyed }: Omit<Expected, 'rule'> & { rule: BodyRule<unknown> },
): Promise<ReadBody> {
  const { raw } = request;
  const { shape, bytesMax } = rule;
  const parse = async (bytes: Buffer): Promise<ReadBody> => {
    const parsed = await readJson(bytes, { slices, scope, elementsMax: shape.elementsMax });
    return { body: shape.read(parsed), bodyHash: undefined, bodyFault: undefined };
  };
  const read = keyed
    ? async (bytes: Buffer) => hashed(await slices.run(scope, sha256HexInSlices(bytes)), () => parse(bytes))
    : parse;
  // By then the body has arrived that came with its headers, even if its end was not emitted yet: the request keeps its slot.
  await undefined;
  const arrived = arrivedJsonBytes(raw, bytesMax);
  if (arrived !== undefined) return read(arrived);
  setOwner(request, scope, { slices, kind: 'json' });
  const reading = readJsonBytes(raw, bytesMax, timeouts);
  if (raw.complete) return read(await reading.bytes);
  const end =
    sender === undefined
      ? bodies.visitors.begin(networkOf(request.address), reading)
      : bodies.known.begin(sender, reading);
  try {
    // Parsed only when the request has its slot again: the parsed body takes many times the memory.
    return await read(await admission.waitForClient(scope, () => reading.bytes));
  } finally {
    end();
    reading.stop(tooBusy());
    reading.bytes.catch(() => undefined);
  }
}

/** For the pauses between two reads of a large body (http/clients/large-reads). */
function setOwner(
  { raw }: HttpRequest,
  { tenant }: RequestScope,
  { slices, kind }: Pick<ReadOwner, 'kind'> & { slices: Slices },
): void {
  if (raw instanceof IncomingRequest) raw.owner = { tenant, kind, pauseTimes: () => slices.pauseTimes(tenant) };
}

/** A fault is returned: a request with an Idempotency-Key may have been refused for it before. */
async function hashed(bodyHash: string, parse: () => Promise<ReadBody>): Promise<ReadBody> {
  try {
    return { ...(await parse()), bodyHash };
  } catch (error) {
    if (error instanceof Fault) return { body: undefined, bodyHash, bodyFault: error };
    throw error;
  }
}
