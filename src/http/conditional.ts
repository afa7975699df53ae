// Conditional requests (RFC 9110 section 13): If-None-Match on reads, If-Match on single writes.

import { fault } from '../faults.ts';

const ENTITY_TAG = /^(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;

function entityTags(header: string): string[] | undefined {
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  const rest = header.replaceAll(/(?:W\/)?"[^"]*"/g, '').replaceAll(/[\s,]/g, '');
  return rest === '' && tags.length > 0 ? tags.map((tag) => ENTITY_TAG.exec(tag)?.[1] ?? '') : undefined;
}

/** Whether the client's copy is still the answer. A header that cannot be read is as good as none. */
export function notModified(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return entityTags(header)?.includes(etag.slice(1, -1)) ?? false;
}

/**
 * The record hash that If-Match asks for: `"<hash>"`, or an ETag whose hash part counts. `*` asks only that the record
 * exists, which every write does anyway.
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
