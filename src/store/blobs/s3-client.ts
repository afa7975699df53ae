// The client of an S3-compatible store: how it is configured, how long it may take, and what its failures mean. The SDK
// is loaded when a store is opened and never before, so that a server with its files on disk does without.

import type { S3, S3ClientConfig } from '@aws-sdk/client-s3';
import { onAbort } from '../../request/signal.ts';

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
/** For many parts to become one object, which AWS says may take minutes. */
export const COMPLETION_MS = 300_000;
/** For each of the questions when the store is opened: what does not answer then must not keep the server from starting. */
export const OPENING_MS = 10_000;
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
      // Of inactivity, hence also of a reader's. `callWithTimeout` and `paced` (blobs-s3) have the limits.
      socketTimeout: 0,
      httpAgent: { maxSockets: SOCKETS_MAX },
      httpsAgent: { maxSockets: SOCKETS_MAX },
    },
  };
  if (endpoint !== undefined) Object.assign(config, { endpoint, forcePathStyle: true });
  if (accessKeyId !== undefined && secretAccessKey !== undefined) config.credentials = { accessKeyId, secretAccessKey };
  return new S3(config);
}

class NoAnswer extends Error {}

/**
 * One call of the SDK, ended when it takes too long or when `cancel` says so. The limit is for the answer, and not for
 * the body of a download. A call that has failed lets go of its socket, even when its body was only partly sent.
 */
export async function callWithTimeout<T>(
  work: (options: { abortSignal: AbortSignal }) => Promise<T>,
  limitMs = ANSWER_MS,
  cancel?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort(cancel?.reason);
  let late: NoAnswer | undefined;
  const timer = setTimeout(() => {
    late = new NoAnswer(`no answer within ${limitMs} ms`);
    controller.abort(late);
  }, limitMs);
  const unsubscribe = onAbort(cancel, stop);
  if (cancel?.aborted) stop();
  try {
    return await work({ abortSignal: controller.signal });
  } catch (error) {
    controller.abort(error);
    throw late ?? error;
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

/** There is no such object; a bucket that is gone is a failure. */
export const isMissing = (error: unknown): boolean => statusOf(error) === 404 && errorNameOf(error) !== 'NoSuchBucket';

/** The store does not have this call. */
export const isUnknownCall = (error: unknown): boolean =>
  [405, 501].includes(statusOf(error) ?? 0) || errorNameOf(error) === 'NotImplemented';

/** Another attempt may succeed: no answer, or one that blames the store. */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  return (
    status === undefined || status >= 500 || status === 408 || status === 429 || errorNameOf(error) === 'RequestTimeout'
  );
}

/** Whether the SDK itself has sent it again, after an attempt without an answer or with one that blamed the store. */
export const wasRepeated = (error: unknown): boolean => (metadataOf(error).attempts ?? 1) > 1;

const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'];
const BROKEN = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'];

/** The store may have got the request and go on with it: it broke off, or whoever stands before the store gave up. */
export function isUndecided(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined ? !UNREACHED.includes(codeOf(error)) : [500, 502, 504].includes(status);
}

/** It does not answer now; everything else that goes wrong at first is for the operator to set right. */
export function isAway(error: unknown): boolean {
  if (statusOf(error) !== undefined) return isTransient(error) && !isUnknownCall(error);
  return (
    error instanceof NoAnswer ||
    errorNameOf(error) === 'TimeoutError' ||
    [...UNREACHED, ...BROKEN].includes(codeOf(error))
  );
}
