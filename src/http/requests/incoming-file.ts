// The file of an upload: the body itself with the headers of the request, or the one file in a form.

import { readFilename, readFilenameIn } from '../../domain/attachments/filenames.ts';
import { readMediaType, readUploadType } from '../../domain/attachments/media-types.ts';
import { fault } from '../../faults.ts';
import { freed } from '../../load/freed-bytes.ts';
import type { IncomingFile } from '../../operations/attachments/uploads.ts';
import { BESIDES_BYTES_MAX, boundaryOf, FormParts, type PartHeaders, unreadable } from './form-parts.ts';
import type { Input } from './input.ts';

export interface FileBody {
  /** Whether reading begins when the file is opened, and not only with its bytes. */
  readonly isForm: boolean;
  /** Of at most this many bytes. */
  readonly open: (bytesMax: number) => IncomingFile | Promise<IncomingFile>;
  readonly close: () => void;
}

export function fileBody({ header, receiveFile }: Pick<Input<unknown>, 'header' | 'receiveFile'>): FileBody {
  const declared = header('content-length');
  const length = declared === undefined ? undefined : Number(declared);
  const boundary = boundaryOf(header('content-type'));
  if (boundary === undefined) {
    const contentType = readUploadType(header('content-type'));
    const name = readFilename(header('content-disposition'));
    const open = (bytesMax: number) => ({ name, contentType, length, bytes: freed(receiveFile(bytesMax)) });
    return { isForm: false, open, close: () => undefined };
  }
  let parts: FormParts | undefined;
  const open = async (bytesMax: number) => {
    if (length !== undefined && length > bytesMax + BESIDES_BYTES_MAX) {
      const reason = `the form is larger than a file of ${bytesMax} bytes and ${BESIDES_BYTES_MAX} bytes besides it`;
      throw fault('INVALID_BODY', { reason, maxBytes: bytesMax });
    }
    // The file and what is besides it have limits of their own, which tell the client what is too large.
    parts = new FormParts(freed(receiveFile(Number.POSITIVE_INFINITY)), boundary);
    return { ...(await findFile(parts)), length, bytes: fileBytes(parts, bytesMax) };
  };
  return { isForm: true, open, close: () => parts?.close() };
}

async function findFile(parts: FormParts): Promise<Pick<IncomingFile, 'name' | 'contentType'>> {
  for (let headers = await parts.next(); headers !== undefined; headers = await parts.next()) {
    const file = await readFilePart(parts, headers);
    if (file !== undefined) return file;
  }
  throw fault('INVALID_BODY', { reason: 'the form has no file; one of its parts must have a filename' });
}

/** The form is read to its end, so that a second file and a body that is cut off are noticed before anything is stored. */
async function* fileBytes(parts: FormParts, bytesMax: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of parts.content()) {
    size += chunk.length;
    if (size > bytesMax) {
      throw fault('INVALID_BODY', { reason: `the file is larger than ${bytesMax} bytes`, maxBytes: bytesMax });
    }
    yield chunk;
  }
  for (let headers = await parts.next(); headers !== undefined; headers = await parts.next()) {
    if ((await readFilePart(parts, headers)) === undefined) continue;
    throw fault('INVALID_BODY', { reason: 'the form has several files; send each in a request of its own' });
  }
  await parts.end();
}

/** Undefined for a field that is no file, and for a choice of files that was left empty. */
async function readFilePart(
  parts: FormParts,
  headers: PartHeaders,
): Promise<Pick<IncomingFile, 'name' | 'contentType'> | undefined> {
  const found = readFilenameIn(headers.get('content-disposition') ?? '');
  // With a name of its own it is one file, such as a web page that was saved as a whole.
  if (found === undefined && /^multipart\//i.test(headers.get('content-type') ?? '')) {
    const reason = 'a part of the form is multipart, for several files; send each in a request of its own';
    throw fault('INVALID_BODY', { reason });
  }
  if (found === undefined || (found.isBlank && (await parts.isEmpty()))) return undefined;
  if (!/^(?:7bit|8bit|binary)?$/i.test(headers.get('content-transfer-encoding') ?? '')) {
    throw unreadable('Content-Transfer-Encoding must be binary, if it is given');
  }
  return { name: found.name, contentType: readMediaType(headers.get('content-type')) };
}
