// Between values and the text of a cell in a spreadsheet, by the type of the column. Each type has a file beside this one.

import type { ColumnDefinition, RawValue } from '../../../../client/src/shapes.ts';
import { readArray, writeArray } from './array.ts';
import { readAttachment } from './attachment.ts';
import { readBoolean, writeBoolean } from './boolean.ts';
import { readDate } from './date.ts';
import { readDateTime, writeDateTime } from './date-time.ts';
import { readLocation, writeLocation } from './location.ts';
import { readNumber, writeNumber } from './number.ts';
import { readObject, writeObject } from './object.ts';
import type { Read, Writing } from './reading.ts';
import { readReference, referredText } from './reference.ts';
import { readString } from './string.ts';
import { readTime } from './time.ts';
import { readUser } from './user.ts';

/** The text is not empty: an empty cell takes the value away. */
export function readText(text: string, column: ColumnDefinition, writing: Writing): Read {
  switch (column.type) {
    case 'String':
      return readString(text);
    case 'Number':
      return readNumber(text, writing);
    case 'Boolean':
      return readBoolean(text, writing);
    case 'Date':
      return readDate(text, writing);
    case 'Time':
      return readTime(text);
    case 'DateTime':
      return readDateTime(text, writing);
    case 'Location':
      return readLocation(text);
    case 'User':
      return readUser(text);
    case 'Attachment':
      return readAttachment();
    case 'Object':
      return readObject(text, column.scheme, writing);
    case 'Array':
      return readArray(text, column.scheme, writing);
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser':
      return readReference(text);
    default:
      return column satisfies never;
  }
}

export function writeText(value: RawValue, writing: Writing): string {
  switch (value.type) {
    case 'Number':
      return writeNumber(value.value, writing);
    case 'Boolean':
      return writeBoolean(value.value);
    case 'DateTime':
      return writeDateTime(value.value, writing);
    case 'Location':
      return writeLocation(value);
    case 'User':
    case 'Attachment':
      return value.name;
    case 'Object':
      return writeObject(value);
    case 'Array':
      return writeArray(value);
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser':
      return referredText(value.value) ?? '';
    default:
      return value.value;
  }
}
