// The result of a route; http/send puts it on the wire.

import { Readable } from 'node:stream';
import type { RecordText } from '../../domain/records/record-text.ts';

export type Body = string | Uint8Array | readonly (string | Uint8Array)[];

/** Counts the characters of a text: counting its bytes would have to visit each character. */
export function roughLength(body: Body | undefined): number {
  if (body === undefined) return 0;
  return Array.isArray(body) ? body.reduce((sum, { length }) => sum + length, 0) : body.length;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** JSON text, or bytes with their content type in the headers. In parts if some of them are long. */
  readonly body?: Body;
  /** Instead of a body: opened when the headers are about to go out, and never for HEAD. */
  readonly stream?: () => Promise<Readable>;
}

export const replyJson = (value: unknown): Reply => ({ status: 200, body: JSON.stringify(value) });

export const replyText = (body: Body, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: 200,
  headers,
  body,
});

/** A JSON array of texts. Long texts are not concatenated: a page can have a hundred megabytes. */
export function arrayOf(texts: readonly RecordText[]): Body {
  if (texts.every((text) => typeof text === 'string')) return `[${texts.join(',')}]`;
  const parts: RecordText[] = texts.flatMap((text, index) => [index === 0 ? '[' : ',', text]);
  return [...parts, ']'];
}

export const NO_CONTENT: Reply = { status: 204 };

export const NOT_MODIFIED = (headers: Readonly<Record<string, string>>): Reply => ({ status: 304, headers });

/** One JSON text per line, each sent as soon as it is produced. */
export const replyLines = (values: AsyncIterable<unknown>): Reply => ({
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
