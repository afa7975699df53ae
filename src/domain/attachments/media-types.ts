// The media type of an attachment, from its upload's Content-Type and stored unchanged: every type that follows the grammar
// of RFC 9110 section 8.3.1 is valid, known or not.

import { fault } from '../../faults.ts';

const DEFAULT_MEDIA_TYPE = 'application/octet-stream';
const MEDIA_TYPE_CHARACTERS_MAX = 255;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = String.raw`"[\t !#-[\]-~]*(?:\\[\t -~][\t !#-[\]-~]*)*"`;
/**
 * Each run of blanks is matched in one place only. Two adjacent optional runs could share it in many ways, and a mismatch
 * would try them all.
 */
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:[ \t]*;(?:[ \t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))?)*$`);

/** Absent or empty: `application/octet-stream`. `name`: what refusals call it. Throws INVALID_CONTENT_TYPE. */
export function readMediaType(header: string | undefined, name = 'Content-Type'): string {
  const refusal = (reason: string) => fault('INVALID_CONTENT_TYPE', { reason: `${name} ${reason}` });
  const given = header ?? '';
  if (given.length > MEDIA_TYPE_CHARACTERS_MAX) {
    throw refusal(`must have at most ${MEDIA_TYPE_CHARACTERS_MAX} characters`);
  }
  const mediaType = given.replace(/^[ \t]+/, '').replace(/[ \t]+$/, '');
  if (mediaType === '') return DEFAULT_MEDIA_TYPE;
  if (/[\u0080-\uffff]/.test(mediaType)) throw refusal('must be ASCII');
  if (!MEDIA_TYPE.test(mediaType)) {
    throw refusal('must be a media type such as image/png or text/plain; charset=utf-8');
  }
  return mediaType;
}

/** What curl declares for data of any kind unless it is told the type. */
const UNDECLARED = /^[ \t]*application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;

/** Of a file that is the body of a request. */
export const readUploadType = (header: string | undefined): string =>
  readMediaType(header !== undefined && UNDECLARED.test(header) ? undefined : header);
