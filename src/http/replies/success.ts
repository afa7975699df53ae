// What a route replies when it succeeds, as data: the documentation and the tests of every reply are made from it. What a
// reply looks like is in wire/.

export interface Success {
  readonly status: number;
  /** Absent: no body. `bytes`: of any content type. */
  readonly body?: { readonly json: object } | { readonly lines: object } | 'bytes';
  readonly sentence: string;
  /** The headers that a program may want to read, with a sentence each. */
  readonly headers?: Readonly<Record<string, string>>;
}

const arrayOf = (items: object) => ({ type: 'array', items });

export const json = (shape: object, sentence: string, status = 200): Success => ({
  status,
  body: { json: shape },
  sentence,
});

export const list = (items: object, sentence: string): Success => json(arrayOf(items), sentence);

/** An object for an object, an array for an array. */
export const oneOrList = (shape: object, sentence: string): Success =>
  json({ anyOf: [shape, arrayOf(shape)] }, sentence);

/** One JSON text per line. */
export const lines = (shape: object, sentence: string): Success => ({ status: 200, body: { lines: shape }, sentence });

export const bytes = (sentence: string, status = 200): Success => ({ status, body: 'bytes', sentence });

export const nothing = (sentence: string): Success => ({ status: 204, sentence });

export const withHeaders = (success: Success, headers: Readonly<Record<string, string>>): Success => ({
  ...success,
  headers,
});

/** For a request that names what the client has already. */
export const UNCHANGED: Success = { status: 304, sentence: 'What the client has is still right.' };
