// The client of an S3-compatible store: how it is configured, how long it may take, and what its failures mean. The SDK
// is loaded when a store is opened and never before, so that a server with its files on disk does without.

import type { S3, S3ClientConfig } from '@aws-sdk/client-s3';

export interface S3Options {
  readonly bucket: string;
  /** Before every key, as it is. */
  readonly prefix: string;
  /** Absent: that of AWS for the region. */
  readonly endpoint?: string;
  readonly region: string;
  /** Both or none; without them the SDK looks where it usually does. */
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
}

const CONNECT_MS = 5_000;
/** For an answer, with the SDK's own repetitions. */
const ANSWER_MS = 30_000;
/** For a body of 8 MiB to be taken and acknowledged: about 1 Mbit/s. */
export const TRANSFER_MS = 60_000;
/** Downloads to slow readers hold theirs for long, so there are more than uploads and requests would need. */
const SOCKETS_MAX = 512;

// The SDK takes its own silent logger for none at all, and then writes to the console.
const silent = () => undefined;
const LOGGER = { debug: silent, info: silent, warn: silent, error: silent };

export async function createClient({ endpoint, region, accessKeyId, secretAccessKey }: S3Options): Promise<S3> {
  const { S3 } = await import('@aws-sdk/client-s3');
  const config: S3ClientConfig = {
    region,
    logger: LOGGER,
    // Checksums that nobody asked for make uploads `aws-chunked`, which many stores keep as part of the file.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // With it each part would go over a connection of its own, and wait for stores that do not know it.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      // Of inactivity, hence also of a reader's. `within` and `paced` (blobs-s3) have the limits.
      socketTimeout: 0,
      httpAgent: { maxSockets: SOCKETS_MAX },
      httpsAgent: { maxSockets: SOCKETS_MAX },
    },
  };
  if (endpoint !== undefined) Object.assign(config, { endpoint, forcePathStyle: true });
  if (accessKeyId !== undefined && secretAccessKey !== undefined) config.credentials = { accessKeyId, secretAccessKey };
  return new S3(config);
}

/**
 * One call of the SDK, ended when it takes too long or when `cancel` says so. The limit is for the answer, and not for
 * the body of a download. A call that has failed lets go of its socket, even when its body was only partly sent.
 */
export async function within<T>(
  work: (options: { abortSignal: AbortSignal }) => Promise<T>,
  limitMs = ANSWER_MS,
  cancel?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort(cancel?.reason);
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${limitMs} ms`)), limitMs);
  cancel?.addEventListener('abort', stop);
  if (cancel?.aborted) stop();
  try {
    return await work({ abortSignal: controller.signal });
  } catch (error) {
    controller.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    cancel?.removeEventListener('abort', stop);
  }
}

function statusOf(error: unknown): number | undefined {
  const metadata = error instanceof Error && '$metadata' in error ? error.$metadata : undefined;
  return (metadata as { httpStatusCode?: number } | undefined)?.httpStatusCode;
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** There is no such object; a bucket that is gone is a failure. */
export const isMissing = (error: unknown): boolean => statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket';

/** The store does not have this call. */
export const isUnknownCall = (error: unknown): boolean =>
  [405, 501].includes(statusOf(error) ?? 0) || nameOf(error) === 'NotImplemented';

/** Another attempt may succeed: no answer, or one that blames the store. */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  return (
    status === undefined || status >= 500 || status === 408 || status === 429 || nameOf(error) === 'RequestTimeout'
  );
}
