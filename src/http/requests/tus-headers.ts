// The headers of the tus protocol 1.0.0 (https://tus.io/protocols/resumable-upload), parsed and written.

import { readUploadName, UNKNOWN_NAME } from '../../domain/attachments/filenames.ts';
import { readMediaType } from '../../domain/attachments/media-types.ts';
import { type Fault, fault } from '../../faults.ts';
import type { UploadView } from '../../operations/attachments/announced-uploads.ts';

export const TUS_VERSION = '1.0.0';
export const TUS_EXTENSIONS = 'creation,expiration,termination';
/** Those that replies have. */
export const REPLY_HEADERS = [
  ...['Location', 'Upload-Offset', 'Upload-Length', 'Upload-Metadata', 'Upload-Expires'],
  ...['Tus-Resumable', 'Tus-Version', 'Tus-Extension', 'Tus-Max-Size'],
];
/** The content type of a PATCH. */
const OFFSET_TYPE = 'application/offset+octet-stream';

type Header = (name: string) => string | undefined;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function checkVersion(header: Header): void {
  if (header('tus-resumable') !== TUS_VERSION) {
    throw fault('PRECONDITION_FAILED', undefined, { 'tus-version': TUS_VERSION });
  }
}

export function checkOffsetType(header: Header): void {
  if (header('content-type')?.trim().toLowerCase() !== OFFSET_TYPE) {
    throw fault('INVALID_CONTENT_TYPE', { reason: `Content-Type must be ${OFFSET_TYPE}` });
  }
}

/** A required number of bytes. */
export function readBytesHeader(header: Header, name: 'Upload-Length' | 'Upload-Offset'): number {
  const text = header(name.toLowerCase()) ?? '';
  const bytes = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(bytes)) return bytes;
  throw fault('INVALID_PARAMETER', { parameter: name, reason: 'must be a whole number of bytes' });
}

const invalidMetadata = (reason: string): Fault => fault('INVALID_PARAMETER', { parameter: 'Upload-Metadata', reason });

/** The keys that common clients use. The first one present counts, all others are ignored. */
const NAME_KEYS = ['filename', 'name'];
const TYPE_KEYS = ['filetype', 'contentType'];

export function readUploadMetadata(header: Header): { name: string; contentType: string } {
  const values = readPairs(header('upload-metadata') ?? '');
  const first = (keys: readonly string[]) => {
    const key = keys.find((one) => values.has(one));
    return key === undefined ? undefined : decode(key, values.get(key) ?? '');
  };
  const name = first(NAME_KEYS);
  const contentType = readMediaType(first(TYPE_KEYS), 'the type in Upload-Metadata');
  return { name: name === undefined ? UNKNOWN_NAME : readUploadName(name), contentType };
}

/** `key base64,key base64,key`: a value may be absent. */
function readPairs(text: string): Map<string, string> {
  const values = new Map<string, string>();
  if (text.trim() === '') return values;
  for (const pair of text.split(',')) {
    const [key = '', value = '', ...more] = pair.trim().split(' ');
    if (key === '' || more.length > 0) throw invalidMetadata('must be pairs of a key and a base64 value');
    if (values.has(key)) throw invalidMetadata(`has the key ${key} twice`);
    values.set(key, value);
  }
  return values;
}

function decode(key: string, base64: string): string {
  const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(base64) && base64.replaceAll('=', '').length % 4 !== 1;
  try {
    if (isBase64) return utf8.decode(Buffer.from(base64, 'base64'));
  } catch {
    // Refused below.
  }
  throw invalidMetadata(`the value of ${key} must be UTF-8 in base64`);
}

const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

const expiry = ({ expiresAtMs }: UploadView): Record<string, string> =>
  expiresAtMs === undefined ? {} : { 'upload-expires': new Date(expiresAtMs).toUTCString() };

/** How far an upload has come, for the replies to its requests. */
export const progressHeaders = (view: UploadView): Record<string, string> => ({
  'upload-offset': String(view.received),
  ...expiry(view),
});

/** The state of an upload. If a proxy cached it, clients would send bytes twice. */
export const stateHeaders = (view: UploadView): Record<string, string> => ({
  ...progressHeaders(view),
  'upload-length': String(view.size),
  'upload-metadata': `filename ${encode(view.name)},filetype ${encode(view.contentType)}`,
  'cache-control': 'no-store',
});
