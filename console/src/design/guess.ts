// Columns for the table of a file: names from its heading, types from its values. A type is chosen only if the import
// reads every value as it, so that all rows can be brought in afterwards.

import { SheetDate, type TableRow } from '../../../src/moving/formats/table.ts';
import {
  type DateOrder,
  orderOf,
  readDateCell,
  readDateTimeCell,
  readTimeCell,
} from '../../../src/moving/values/cell-dates.ts';
import { readBooleanCell, readNumberCell } from '../../../src/moving/values/cell-numbers.ts';
import { NAME_LENGTH_MAX } from '../../../src/wire/publish-document.ts';

export type GuessedType = 'String' | 'Number' | 'Boolean' | 'Date' | 'DateTime' | 'Time';

export interface GuessedColumn {
  /** Empty where the heading has no name. */
  readonly name: string;
  readonly type: GuessedType;
  readonly unique: boolean;
  readonly sortable: boolean;
  readonly searchable: boolean;
}

/** Longer texts are read, not sorted. */
const SORTED_LENGTH_MAX = 120;
/** Each takes space in the table of the collection. */
const FLAGGED_COLUMNS_MAX = 60;

const reads =
  (read: (text: string) => unknown) =>
  (text: string): boolean => {
    try {
      read(text);
      return true;
    } catch {
      return false;
    }
  };

/** What begins with a zero, or has more digits than a number holds, is a code: a number would lose them. */
const isCode = (text: string): boolean =>
  /^[+-]?0\d/.test(text) || text.replaceAll(/\D/g, '').length > 15 || /^\+/.test(text);

function typeOf(texts: readonly string[], order: DateOrder | undefined): GuessedType {
  if (texts.length === 0) return 'String';
  const reading = { timeZone: 'UTC', order };
  const all = (holds: (text: string) => boolean): boolean => texts.every(holds);
  if (all(reads((text) => readNumberCell(text, false)))) return texts.some(isCode) ? 'String' : 'Number';
  if (all(reads(readBooleanCell))) return 'Boolean';
  if (all(reads((text) => readDateCell(text, reading)))) return 'Date';
  if (all(reads((text) => readDateTimeCell(text, reading)))) return 'DateTime';
  return all(reads(readTimeCell)) ? 'Time' : 'String';
}

function textOf(cell: unknown): string {
  if (cell === undefined || cell === null) return '';
  if (cell instanceof SheetDate) return cell.text.trim();
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell).trim();
}

/** As names of columns have to be. */
export const cleanName = (text: string): string =>
  [...text.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').trim()].slice(0, NAME_LENGTH_MAX).join('');

export function guessColumns(header: readonly string[], rows: readonly TableRow[]): GuessedColumn[] {
  let hasUnique = false;
  return header.map((name, index) => {
    const texts = rows.map(({ cells }) => textOf(cells[index])).filter((text) => text !== '');
    const type = typeOf(texts, orderOf(texts));
    const isShort = texts.every((text) => text.length <= SORTED_LENGTH_MAX);
    // The first column that tells every row from the others is what records are found again by.
    const unique =
      !hasUnique &&
      (type === 'String' || type === 'Number') &&
      isShort &&
      texts.length > 1 &&
      texts.length === rows.length &&
      new Set(texts.map((text) => text.toLowerCase())).size === texts.length;
    hasUnique ||= unique;
    const isFlagged = index < FLAGGED_COLUMNS_MAX;
    return { name: cleanName(name), type, unique, sortable: isFlagged && isShort, searchable: isFlagged };
  });
}
