// Parts of a download: Range (RFC 9110 section 14) and If-Range (section 13.1.5). Only single ranges are served; for several
// ranges or a malformed header the reply is the whole file, as the RFC allows.

import type { ByteRange } from '../../domain/attachments/byte-range.ts';
import { readHttpDate, type Validators, wholeSeconds } from './conditional.ts';

/** What to send of a file of `size` bytes: a part, all of it, or 416. */
export function readRange(header: string | undefined, size: number): ByteRange | 'all' | 'unsatisfiable' {
  const [, set] = /^bytes=(.*)$/is.exec(header ?? '') ?? [];
  // A list may have empty elements (section 5.6.1.2).
  const ranges = (set ?? '').split(',').filter((range) => !/^[ \t]*$/.test(range));
  const [, first = '', last = ''] = /^[ \t]*(\d*)-(\d*)[ \t]*$/.exec(ranges[0] ?? '') ?? [];
  if (ranges.length !== 1 || (first === '' && last === '')) return 'all';
  return first === '' ? suffix(Number(last), size) : part(first, last, size);
}

function suffix(length: number, size: number): ByteRange | 'all' | 'unsatisfiable' {
  if (length === 0) return 'unsatisfiable';
  // Satisfiable by section 14.1.2, but Content-Range cannot express it.
  if (size === 0) return 'all';
  return { start: Math.max(0, size - length), end: size - 1 };
}

function part(first: string, last: string, size: number): ByteRange | 'all' | 'unsatisfiable' {
  if (last !== '' && isLess(last, first)) return 'all';
  // Digits beyond 2^53 round to something that is still beyond every file.
  if (Number(first) >= size) return 'unsatisfiable';
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Compares digits: as numbers, two large enough values would be equal. */
function isLess(left: string, right: string): boolean {
  const [a, b] = [left.replace(/^0+/, ''), right.replace(/^0+/, '')];
  return a.length === b.length ? a < b : a.length < b.length;
}

/** Whether Range counts: without If-Range, or if the client has a part of exactly this file. */
export function rangeApplies(ifRange: string | undefined, { etag, lastModifiedMs }: Validators): boolean {
  if (ifRange === undefined) return true;
  // Strong comparison: a weak tag promises nothing about single bytes, on either side.
  if (ifRange.includes('"')) return ifRange === etag && etag.startsWith('"');
  return readHttpDate(ifRange) === wholeSeconds(lastModifiedMs);
}
