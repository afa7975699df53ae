// The bytes of attachments: downloads that survive cut connections, and the handles that records hold.

import { CartularyError } from './errors.ts';
import type { CallOptions, RawOperations, Reply } from './operation-types.ts';
import { RETRY_LIMITS } from './retry.ts';
import type { AttachmentMetadata } from './shapes.ts';
import type { Attachment, ThumbnailSize } from './typed.ts';

/** A handle. Its own members are those of the interface, so that it can be printed, compared and sent back. */
export class AttachmentHandle implements Attachment {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  readonly #raw: RawOperations;
  readonly #collectionId: string;

  constructor(raw: RawOperations, collectionId: string, { id, name, contentType, size }: AttachmentMetadata) {
    this.id = id;
    this.name = name;
    this.contentType = contentType;
    this.size = size;
    this.#raw = raw;
    this.#collectionId = collectionId;
  }

  stream({ signal }: CallOptions = {}): ReadableStream<Uint8Array> {
    const file = { collectionId: this.#collectionId, attachmentId: this.id };
    return resuming(signal, (from, etag) =>
      this.#raw.downloadAttachment(from === 0 ? file : { ...file, range: `bytes=${from}-`, ifRange: etag }, { signal }),
    );
  }

  async blob(options: CallOptions = {}): Promise<Blob> {
    const blob = await new Response(this.stream(options)).blob();
    return blob.slice(0, blob.size, this.contentType);
  }

  text(options: CallOptions = {}): Promise<string> {
    return new Response(this.stream(options)).text();
  }

  async thumbnail(size: ThumbnailSize, { signal }: CallOptions = {}): Promise<Blob> {
    const file = { collectionId: this.#collectionId, attachmentId: this.id, size };
    const bytes = resuming(signal, (from) => {
      // A thumbnail has no ranges: what was cut cannot be continued.
      if (from > 0) throw new Error('The connection was cut while a thumbnail arrived.');
      return this.#raw.downloadAttachment(file, { signal });
    });
    return new Blob([await new Response(bytes).arrayBuffer()], { type: 'image/webp' });
  }
}

type Open = (from: number, etag: string | undefined) => Promise<Reply<Response>>;

/** The bytes of a reply. When the connection is cut, the rest is asked for. */
function resuming(signal: AbortSignal | undefined, open: Open): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let etag: string | undefined;
  let position = 0;
  let cuts = 0;

  async function next(): Promise<Uint8Array | undefined> {
    if (reader === undefined) {
      const { status, headers, body } = await open(position, etag);
      if (position > 0 && status !== 206) throw new Error('The file changed while it was downloaded.');
      etag = headers.get('etag') ?? undefined;
      if (body.body === null) return undefined;
      reader = body.body.getReader();
    }
    const { value } = await reader.read();
    return value;
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      try {
        const chunk = await next();
        if (chunk === undefined) return controller.close();
        position += chunk.length;
        cuts = 0;
        return controller.enqueue(chunk);
      } catch (error) {
        const wasReading = reader !== undefined;
        reader = undefined;
        if (signal?.aborted) throw signal.reason;
        cuts += 1;
        // A failure to open has been tried again already.
        if (!wasReading || error instanceof CartularyError || cuts > RETRY_LIMITS.retries) throw error;
      }
    }
  }
  // Nothing is fetched before it is read.
  return new ReadableStream({ pull, cancel: (reason) => reader?.cancel(reason) }, { highWaterMark: 0 });
}
