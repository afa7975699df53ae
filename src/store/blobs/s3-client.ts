// The client of an S3-compatible store: its configuration, timeouts, and the meaning of its errors. The SDK is loaded only
// when a store is opened, so that a server with its files on disk never loads it.

import type { S3, S3ClientConfig } from '@aws-sdk/client-s3';
import { onAbort } from '../../request/signal.ts';

export interface S3Options {
  readonly bucket: string;
  /** Prepended to every key as it is. */
  readonly prefix: string;
  /** Absent: the endpoint of AWS for the region. */
  readonly endpoint?: string;
  readonly region: string;
  /** Both or neither; without them the SDK uses its own sources. */
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
}

const CONNECT_MS = 5_000;
/** Of one call, including the SDK's retries. */
const CALL_MS = 30_000;
/** For a body of 8 MiB to be sent and acknowledged: about 1 Mbit/s. */
export const TRANSFER_MS = 60_000;
/** For joining the parts into one object, which may take minutes according to AWS. */
export const COMPLETION_MS = 300_000;
/** For each call when the store is opened: a store that does not answer must not keep the server from starting. */
export const OPENING_MS = 10_000;
/** Downloads by slow readers hold a socket for long, so there are more than uploads and requests need. */
const SOCKETS_MAX = 512;

// The SDK takes its own no-op logger for none at all and then writes to the console.
const silent = () => undefined;
const LOGGER = { debug: silent, info: silent, warn: silent, error: silent };

export async function createClient({ endpoint, region, accessKeyId, secretAccessKey }: S3Options): Promise<S3> {
  const { S3 } = await import('@aws-sdk/client-s3');
  const config: S3ClientConfig = {
    region,
    logger: LOGGER,
    // Optional checksums make uploads `aws-chunked`, which many stores save as part of the file.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // It would open a connection for each part, and wait for stores that do not support it.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      // Disabled: it would also end downloads by slow readers. `callWithTimeout` and `withStallTimeout` set the limits.
      socketTimeout: 0,
      httpAgent: { maxSockets: SOCKETS_MAX },
      httpsAgent: { maxSockets: SOCKETS_MAX },
    },
  };
  if (endpoint !== undefined) Object.assign(config, { endpoint, forcePathStyle: true });
  if (accessKeyId !== undefined && secretAccessKey !== undefined) config.credentials = { accessKeyId, secretAccessKey };
  return new S3(config);
}

class CallTimeout extends Error {}

/**
 * One call of the SDK, aborted after a timeout or by `signal`. The timeout does not cover the body of a download. A
 * failed call releases its socket, even when its body was only partly sent.
 */
export async function callWithTimeout<T>(
  work: (options: { abortSignal: AbortSignal }) => Promise<T>,
  timeoutMs = CALL_MS,
  signal?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  let timedOut: CallTimeout | undefined;
  const timer = setTimeout(() => {
    timedOut = new CallTimeout(`no answer within ${timeoutMs} ms`);
    controller.abort(timedOut);
  }, timeoutMs);
  const unsubscribe = onAbort(signal, abort);
  if (signal?.aborted) abort();
  try {
    return await work({ abortSignal: controller.signal });
  } catch (error) {
    controller.abort(error);
    throw timedOut ?? error;
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}

const metadataOf = (error: unknown): { httpStatusCode?: number; attempts?: number } =>
  (error instanceof Error && '$metadata' in error ? error.$metadata : undefined) ?? {};

const statusOf = (error: unknown): number | undefined => metadataOf(error).httpStatusCode;
const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');
const errorNameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** There is no such object. A missing bucket is a failure instead. */
export const isMissing = (error: unknown): boolean => statusOf(error) === 404 && errorNameOf(error) !== 'NoSuchBucket';

/** The store does not support this call. */
export const isUnknownCall = (error: unknown): boolean =>
  [405, 501].includes(statusOf(error) ?? 0) || errorNameOf(error) === 'NotImplemented';

/** Another attempt may succeed: no answer, or an error on the side of the store. */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  return (
    status === undefined || status >= 500 || status === 408 || status === 429 || errorNameOf(error) === 'RequestTimeout'
  );
}

/** Whether the SDK itself has retried the call. */
export const wasRepeated = (error: unknown): boolean => (metadataOf(error).attempts ?? 1) > 1;

const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'];
const BROKEN = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'];

/** The store may have received the request and still carry it out: the connection broke, or a proxy timed out. */
export function isUndecided(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined ? !UNREACHED.includes(codeOf(error)) : [500, 502, 504].includes(status);
}

/** The store does not answer now. Any other error at the start is for the operator to correct. */
export function isAway(error: unknown): boolean {
  if (statusOf(error) !== undefined) return isTransient(error) && !isUnknownCall(error);
  return (
    error instanceof CallTimeout ||
    errorNameOf(error) === 'TimeoutError' ||
    [...UNREACHED, ...BROKEN].includes(codeOf(error))
  );
}
