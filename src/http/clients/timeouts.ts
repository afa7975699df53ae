// How long clients may take. A slower client is cut off, because a request that waits for its client holds a connection
// and memory.

export interface ClientTimeouts {
  /** For the headers of a request, from the opening of the connection or from their first byte. */
  readonly headersMs: number;
  /** Between two requests. Longer than proxies keep idle connections, usually 60 s: the proxy should close first. */
  readonly keepAliveMs: number;
  /** For a whole JSON body, and between two chunks of it. */
  readonly bodyMs: number;
  readonly bodySilenceMs: number;
  /** A file may take any time in all, as long as each `filePartBytes` of it arrive within `filePartMs`: transfer slots are few. */
  readonly filePartBytes: number;
  readonly filePartMs: number;
  /** While the client reads nothing of a reply. */
  readonly readerMs: number;
}

export const CLIENT_TIMEOUTS: ClientTimeouts = {
  headersMs: 15_000,
  keepAliveMs: 75_000,
  bodyMs: 60_000,
  bodySilenceMs: 15_000,
  filePartBytes: 64 * 1024,
  filePartMs: 60_000,
  readerMs: 120_000,
};
