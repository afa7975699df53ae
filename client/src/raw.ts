// The raw form: every operation of the table as a function from its input to its reply.

import type { Bytes, CallOptions, RawOperations } from './operation-types.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import type { Repeatable } from './retry.ts';
import type { Outgoing, Transport } from './transport.ts';

/** JSON that is already text, in place of a body. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Input = Readonly<Record<string, unknown>>;

export function rawOperations(transport: Transport): RawOperations {
  const functions = Object.entries(OPERATIONS).map(([name, operation]) => [
    name,
    (input: Input = {}, options: CallOptions = {}) => transport.send(requestOf(operation, input, options)),
  ]);
  return Object.fromEntries(functions) as RawOperations;
}

function requestOf(operation: Operation, given: Input, { signal, repeat }: CallOptions): Outgoing {
  const input = withDefaults(operation, given);
  const body = operation.body === 'json' ? jsonOf(input.body) : (input.body as Bytes | undefined);
  const headers = headersOf(operation, input);
  if (operation.body === 'json') headers['content-type'] = 'application/json';
  return {
    method: operation.method,
    path: pathOf(operation, input),
    headers,
    body,
    reply: operation.reply,
    repeatable: repeat ?? repeatableOf(operation, input),
    signal,
  };
}

const jsonOf = (body: unknown): string => (body instanceof JsonText ? body.text : JSON.stringify(body));

/** A request that creates something gets a key, so that it can be sent again without doing it twice. */
function withDefaults({ headers = {} }: Operation, input: Input): Input {
  const key = 'idempotencyKey' in headers ? { idempotencyKey: input.idempotencyKey ?? randomKey() } : {};
  const tus = 'tusResumable' in headers ? { tusResumable: '1.0.0' } : {};
  return { ...input, ...key, ...tus };
}

function repeatableOf({ repeat }: Operation, input: Input): Repeatable {
  if (repeat === 'no') return 'never';
  if (repeat === 'unconditional' && input.limit !== undefined) return 'never';
  if (repeat === 'unconditional' && input.ifMatch !== undefined) return 'refused';
  return 'always';
}

function pathOf({ path, query = [] }: Operation, input: Input): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = input[name];
    // An empty part would name the whole collection instead of one record.
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a text that is not empty.`);
    return encodeURIComponent(value);
  });
  const parameters = new URLSearchParams();
  for (const name of query) if (input[name] !== undefined) parameters.set(name, String(input[name]));
  const text = parameters.toString();
  return text === '' ? filled : `${filled}?${text}`;
}

function headersOf(operation: Operation, input: Input): Record<string, string> {
  const sent = Object.entries(operation.headers ?? {}).filter(([member]) => input[member] !== undefined);
  const headers = Object.fromEntries(sent.map(([member, name]) => [name.toLowerCase(), String(input[member])]));
  if (operation.method === 'PATCH' && operation.body === 'bytes') {
    headers['content-type'] = 'application/offset+octet-stream';
  }
  return headers;
}

/** Not `randomUUID`, which browsers have only on secure pages. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
