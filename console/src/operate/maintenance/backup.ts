// A backup from the server into a file: compressed on the way, and written as it comes where the browser can do that.

import { sendOperator } from '../../api/operator.ts';
import { saveBlob } from '../../moving/save-blob.ts';
import { chooseTarget } from '../../moving/save-target.ts';

/** What a browser keeps that cannot write files as they come. */
export const IN_MEMORY_MAX = 512_000_000;

export class BackupTooLong extends Error {}

interface SaveOptions {
  readonly onRead: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/** `read`: bytes before compression. Undefined if the person chose no place. Throws if the archive is not whole. */
export async function saveBackup(
  application: string | undefined,
  { onRead, signal }: SaveOptions,
): Promise<{ readonly name: string; readonly read: number } | undefined> {
  const name = backupName(new Date(), application);
  const target = await chooseTarget(name, { 'application/gzip': ['.gz'] });
  if (target === 'none') return undefined;
  onRead(0);
  const query = application === undefined ? '' : `?application=${encodeURIComponent(application)}`;
  const reply = await sendOperator(`/backup${query}`, { signal });
  let read = 0;
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      read += chunk.length;
      onRead(read);
      controller.enqueue(chunk);
    },
  });
  if (reply.body === null) throw new Error('no body');
  const bytes = reply.body.pipeThrough(counting).pipeThrough(new CompressionStream('gzip'));
  // A reply that breaks off makes the pipe fail; a file that was begun is then dropped by the browser.
  if (target !== undefined) await bytes.pipeTo(await target.createWritable(), { signal });
  else saveBlob(await inMemory(bytes), name);
  return { name: target?.name ?? name, read };
}

async function inMemory(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = bytes.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts, { type: 'application/gzip' });
    length += value.length;
    if (length > IN_MEMORY_MAX) {
      await reader.cancel();
      throw new BackupTooLong();
    }
    parts.push(value);
  }
}

/** As the command line names it. */
export const backupName = (now: Date, application: string | undefined): string => {
  const at = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `cartulary-${application === undefined ? '' : `${application}-`}${at}.tar.gz`;
};
