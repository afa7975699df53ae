// What a route gives back; http/send puts it on the wire.

import { Readable } from 'node:stream';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** JSON text, or bytes whose type the headers say. */
  readonly body?: string | Uint8Array;
  /** Instead of a body: bytes that are opened when the headers may go out, and never for HEAD. */
  readonly stream?: () => Promise<Readable>;
}

export const answerJson = (value: unknown): Answer => ({ status: 200, body: JSON.stringify(value) });

export const answerText = (body: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  headers,
  body,
});

export const NO_CONTENT: Answer = { status: 204 };

export const NOT_MODIFIED = (headers: Readonly<Record<string, string>>): Answer => ({ status: 304, headers });

/** One JSON text a line, each sent when it is made. */
export const answerLines = (values: AsyncIterable<unknown>): Answer => ({
  status: 200,
  headers: {
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  },
  stream: async () => Readable.from(linesOf(values)),
});

async function* linesOf(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
}
