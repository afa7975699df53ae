// Sends a file, and does not give up when the connection is lost: it waits for the server and goes on.

import { resumeUpload, uploadFile } from '../../../../../client/src/uploads.ts';
import { type AttachmentMetadata, CartularyError, type Client, ConnectionError } from '../../../api/client.ts';
import { forgetInterrupted, interruptedUpload, noteAnnounced } from './interrupted.ts';

export interface SendOptions {
  readonly collection: string;
  /** Under which an interrupted upload is remembered. */
  readonly place: string;
  readonly signal: AbortSignal;
  readonly onProgress: (percent: number) => void;
  /** The server cannot be reached, or can be again. */
  readonly onWaiting: (waiting: boolean) => void;
}

const LOOK_AGAIN_MS = 3_000;

export async function sendFile(client: Client, file: File, options: SendOptions): Promise<AttachmentMetadata> {
  for (;;) {
    try {
      const metadata = await sendOnce(client, file, options);
      forgetInterrupted(options.place, file);
      return metadata;
    } catch (error) {
      options.signal.throwIfAborted();
      if (!isPassing(error)) throw error;
      options.onWaiting(true);
      await serverIsBack(options.signal);
      options.onWaiting(false);
    }
  }
}

/** Tells the server that the rest will not come. */
export async function abandonUpload(
  client: Client,
  file: File,
  { collection, place }: Pick<SendOptions, 'collection' | 'place'>,
) {
  const known = interruptedUpload(place, file);
  if (known === undefined) return;
  forgetInterrupted(place, file);
  // The server forgets it by itself after a while.
  await client.raw.cancelUpload({ collectionId: collection, attachmentId: known.attachmentId }).catch(() => undefined);
}

async function sendOnce(client: Client, file: File, options: SendOptions): Promise<AttachmentMetadata> {
  const { collection, place, signal } = options;
  const sending = { signal, onProgress: (sent: number, all: number) => options.onProgress((100 * sent) / all) };
  const known = interruptedUpload(place, file);
  if (known !== undefined) {
    try {
      const upload = { collectionId: collection, attachmentId: known.attachmentId };
      return await resumeUpload(client.raw, upload, file, sending);
    } catch (error) {
      if (signal.aborted || isPassing(error)) throw error;
      // The server no longer has it, or it is another file after all.
      forgetInterrupted(place, file);
    }
  }
  return uploadFile(client.raw, collection, file, {
    ...sending,
    onAnnounced: (attachmentId) => noteAnnounced(place, file, attachmentId),
  });
}

const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof CartularyError && [502, 503, 504].includes(error.status));

function serverIsBack(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = async () => {
      const reply = await fetch('/healthz').catch(() => undefined);
      if (reply?.ok === true) end(resolve);
    };
    const end = (settle: () => void) => {
      clearInterval(timer);
      removeEventListener('online', look);
      settle();
    };
    const timer = setInterval(() => void look(), LOOK_AGAIN_MS);
    addEventListener('online', look);
    signal.addEventListener('abort', () => end(() => reject(signal.reason)), { once: true });
  });
}
