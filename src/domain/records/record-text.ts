// The JSON text of a record as it is stored and sent. Metadata comes first, in fixed widths where possible, so that the
// database can update a record without parsing it: everything up to the timestamp never changes, and hash and updatedAt
// follow the mark at known distances. The mark cannot occur earlier: inside the one string before it (the creator's name)
// every quotation mark is escaped.

import type { UserShort } from '../../wire/users.ts';
import type { Values } from '../../wire/values.ts';

export const TIMESTAMP_MARK = ',"timestamp":"';
const HASH_MARK = '","hash":"';
const UPDATED_AT_MARK = '","updatedAt":"';
const TIME_LENGTH = '0001-01-01T00:00:00.000Z'.length;
const HASH_LENGTH = 26;

/** Distances in characters from the first character of TIMESTAMP_MARK. */
export const FROM_MARK = {
  timestamp: TIMESTAMP_MARK.length,
  updatedAt: TIMESTAMP_MARK.length + TIME_LENGTH + HASH_MARK.length + HASH_LENGTH + UPDATED_AT_MARK.length,
  timeLength: TIME_LENGTH,
} as const;

/** The text between the timestamp and updatedAt. */
export const hashPart = (hash: string): string => `${HASH_MARK}${hash}${UPDATED_AT_MARK}`;

/** A record as it is sent. A long one is a Buffer of UTF-8, which lies outside the heap. */
export type RecordText = string | Buffer;

export function hashInText(text: RecordText): string {
  const start = text.indexOf(TIMESTAMP_MARK) + TIMESTAMP_MARK.length + TIME_LENGTH + HASH_MARK.length;
  const end = start + HASH_LENGTH;
  return typeof text === 'string' ? text.slice(start, end) : text.toString('latin1', start, end);
}

/** Cannot occur earlier either: quotation marks in names are escaped. */
const VALUES_MARK = ',"values":';

/** The text after updatedAt. */
export const tailPart = (updatedBy: UserShort, valuesJson: string): string =>
  `","updatedBy":${userJson(updatedBy)}${VALUES_MARK}${valuesJson}}`;

export interface RecordParts {
  readonly id: string;
  readonly createdAt: string;
  readonly createdBy: UserShort;
  readonly timestamp: string;
  readonly hash: string;
  readonly updatedAt: string;
  readonly updatedBy: UserShort;
  readonly valuesJson: string;
}

export function recordText(parts: RecordParts): string {
  const head = `{"id":"${parts.id}","createdAt":"${parts.createdAt}","createdBy":${userJson(parts.createdBy)}`;
  return (
    head +
    TIMESTAMP_MARK +
    parts.timestamp +
    hashPart(parts.hash) +
    parts.updatedAt +
    tailPart(parts.updatedBy, parts.valuesJson)
  );
}

let lastUser: UserShort = { id: '', name: '' };
let lastUserJson = '{"id":"","name":""}';

/** Remembers the last user: a record names two who are mostly the same, and so does the next record of a batch. */
function userJson({ id, name }: UserShort): string {
  if (id !== lastUser.id || name !== lastUser.name) {
    lastUser = { id, name };
    lastUserJson = `{"id":"${id}","name":${JSON.stringify(name)}}`;
  }
  return lastUserJson;
}

/** The parsed text of a record. */
export type StoredRecord = Omit<RecordParts, 'valuesJson'> & { readonly values: Values };

export const readRecordText = (text: RecordText): StoredRecord => JSON.parse(String(text)) as StoredRecord;

/** Everything but the values, which may have a megabyte. */
export function readRecordHead(text: RecordText): Omit<StoredRecord, 'values'> {
  const end = text.indexOf(VALUES_MARK);
  const head = typeof text === 'string' ? text.slice(0, end) : text.toString('utf8', 0, end);
  return JSON.parse(`${head}}`) as Omit<StoredRecord, 'values'>;
}

/** Only the keys of Objects could be mistaken for identifiers of columns: inside a string, quotation marks are escaped. */
const OBJECT_TYPE = '"type":"Object"';
const NUMBER_START = '{"type":"Number"';
const [BACKSLASH, COLON] = [0x5c, 0x3a];

/**
 * The JSON of a String, Number or User in a record; undefined if it has none. It is cut out of the text where that is
 * simple: parsing the record and writing the value again takes twice as long.
 */
export function valueTextIn(text: string, columnId: string): string | undefined {
  if (text.includes(OBJECT_TYPE)) return parsedValueText(text, columnId);
  const mark = `"${columnId}":{`;
  const found = text.indexOf(mark);
  if (found === -1) return undefined;
  const start = found + mark.length - 1;
  if (text.startsWith(NUMBER_START, start)) return text.slice(start, text.indexOf('}', start) + 1);
  // The others end with a string. After a colon or a backslash, the mark may be one that begins it, or is in it.
  const end = text.indexOf('"}', start);
  const before = text.charCodeAt(end - 1);
  return before === BACKSLASH || before === COLON ? parsedValueText(text, columnId) : text.slice(start, end + 2);
}

function parsedValueText(text: string, columnId: string): string | undefined {
  const value = readRecordText(text).values[columnId];
  return value && JSON.stringify(value);
}
