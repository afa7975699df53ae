// Conditional requests (RFC 9110 section 13): If-None-Match on reads, If-Modified-Since on downloads, If-Match on single
// writes. If-Match is only read here: the statement of the write compares it (`ifHash` in store/records/records), or the
// operation under the record's lock (operations/records/updates); both refuse with PRECONDITION_FAILED.

import { fault } from '../../faults.ts';
import { ENCODINGS, type Encoding } from './accept-encoding.ts';

/** With these a client can check whether its copy is still current. */
export interface Validators {
  /** With its quotes. */
  readonly etag: string;
  readonly lastModifiedMs: number;
}

/** The headers of a read that make its reply 304 if nothing has changed. */
export interface ReadConditions {
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
}

/** For a reply that a client may cache: it is valid only for the credentials that it was requested with. */
export const VARY = 'Authorization, Cookie';

const ENTITY_TAG = /^(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;

function entityTags(header: string): string[] | undefined {
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  const rest = header.replaceAll(/(?:W\/)?"[^"]*"/g, '').replaceAll(/[\s,]/g, '');
  return rest === '' && tags.length > 0 ? tags.map((tag) => ENTITY_TAG.exec(tag)?.[1] ?? '') : undefined;
}

/** Whether the client's copy is current. A malformed header is ignored. */
export function notModified(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return entityTags(header)?.includes(etag.slice(1, -1)) ?? false;
}

/** A strong ETag stands for the bytes, which differ in each encoding. */
export const encodedTag = (etag: string, encoding: Encoding): string => `${etag.slice(0, -1)}-${encoding}"`;

/** The ETag of the client's copy in the encoding in which the client has it, if the copy is current. */
export function currentCopy(header: string | undefined, etag: string): string | undefined {
  return [etag, ...ENCODINGS.map((encoding) => encodedTag(etag, encoding))].find((tag) => notModified(header, tag));
}

/** Whether the file has not changed since the date. A malformed date is ignored (section 13.1.3). */
export function notModifiedSince(header: string | undefined, lastModifiedMs: number): boolean {
  const since = header === undefined ? undefined : readHttpDate(header);
  return since !== undefined && wholeSeconds(lastModifiedMs) <= since;
}

/** Whether the reply is 304. If-None-Match is more exact than any date, so a date beside it is ignored (section 13.2.2). */
export function unchanged(conditions: ReadConditions, { etag, lastModifiedMs }: Validators): boolean {
  if (conditions.ifNoneMatch !== undefined) return notModified(conditions.ifNoneMatch, etag);
  return notModifiedSince(conditions.ifModifiedSince, lastModifiedMs);
}

/** Last-Modified has no milliseconds, so a date that a client sends back has none either. */
export function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** Sunday, 06-Nov-94 08:49:37 GMT */
const RFC850_DATE = /^(Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day, (\d\d)-(\w{3})-(\d\d) (\d\d:\d\d:\d\d) GMT$/;
/** Sun Nov  6 08:49:37 1994 */
const ASCTIME_DATE = /^(\w{3}) (\w{3}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4})$/;

/** Milliseconds of an HTTP date in any of its three forms (section 5.6.7); undefined if it is not a real moment. */
export function readHttpDate(text: string, nowMs = Date.now()): number | undefined {
  const fixed = asFixedDate(text, nowMs);
  const ms = Date.parse(fixed);
  // Formatted again it must be the same: this refuses 31 February, 25 o'clock and a wrong day of the week.
  return !Number.isNaN(ms) && new Date(ms).toUTCString() === fixed ? ms : undefined;
}

function asFixedDate(text: string, nowMs: number): string {
  const rfc850 = RFC850_DATE.exec(text);
  if (rfc850 !== null) {
    const [, weekday = '', day, month, year, time] = rfc850;
    return `${weekday.slice(0, 3)}, ${day} ${month} ${fullYear(Number(year), nowMs)} ${time} GMT`;
  }
  const asctime = ASCTIME_DATE.exec(text);
  if (asctime !== null) {
    const [, weekday, month, day = '', time, year] = asctime;
    return `${weekday}, ${day.replace(' ', '0')} ${month} ${year} ${time} GMT`;
  }
  return text;
}

/** Two digits mean this century, or the last one if that would be more than 50 years ahead (section 5.6.7). */
function fullYear(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}

/**
 * The record hash that If-Match requires: `"<hash>"`, or the hash part of an ETag. `*` requires only that the record exists,
 * which every write does anyway.
 */
export function requiredHash(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const tags = entityTags(header);
  if (tags === undefined || tags.length !== 1) {
    const reason = 'must be one quoted hash such as "abc…", the ETag of a record, or *';
    throw fault('INVALID_PARAMETER', { parameter: 'If-Match', reason });
  }
  return (tags[0] ?? '').split('-')[0] ?? '';
}
