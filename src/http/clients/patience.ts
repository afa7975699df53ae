// How long clients may take, in milliseconds. Whoever is slower is cut off: what waits for a client holds a connection,
// and memory.

export interface Patience {
  /** For a request's headers to arrive, from the opening of the connection or their first byte. */
  readonly headersMs: number;
  /** Between two requests. Longer than proxies keep theirs, usually 60 s: who closes first must not be the server. */
  readonly keepAliveMs: number;
  /** For a body of JSON, and for how long nothing of it may arrive. */
  readonly bodyMs: number;
  readonly bodySilenceMs: number;
  /** A file may take as long as it needs, if so much of it, or the rest, arrives within so long: each has one of few places. */
  readonly filePartBytes: number;
  readonly filePartMs: number;
  /** For how long nothing of an answer may be read. */
  readonly readerMs: number;
}

export const PATIENCE: Patience = {
  headersMs: 15_000,
  keepAliveMs: 75_000,
  bodyMs: 60_000,
  bodySilenceMs: 15_000,
  filePartBytes: 64 * 1024,
  filePartMs: 60_000,
  readerMs: 120_000,
};
