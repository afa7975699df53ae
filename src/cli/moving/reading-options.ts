// The options that say how a file is to be read, which `import` and its dry run share.

import { isTimeZone } from '../../domain/dates/time-zones.ts';
import { FORMATS } from '../../moving/formats/format-names.ts';
import type { ReadOptions } from '../../moving/formats/table.ts';
import type { Survey } from '../../moving/import/survey.ts';
import { DATE_ORDERS, type DateOrder, orderOf } from '../../moving/values/cell-dates.ts';
import type { CellReading } from '../../moving/values/cell-values.ts';
import type { OptionRow } from '../commands/row.ts';
import { usageFailure } from '../failure.ts';

export interface FileOptions {
  readonly format?: string;
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly sheet?: string;
}

export interface ValueOptions {
  readonly timezone?: string;
  readonly dateFormat?: string;
  readonly decimalComma?: boolean;
  readonly listSeparator: string;
}

export const FORMAT_OPTION: OptionRow = {
  flags: '--format <format>',
  text: `${FORMATS.join(', ')}; by default what the name of the file says`,
};

export const DELIMITER_OPTION: OptionRow = {
  flags: '--delimiter <character>',
  text: 'between the cells of CSV; "tab" for a tab',
  read: (given) => {
    const delimiter = given === 'tab' || given === '\\t' ? '\t' : given;
    if ([...delimiter].length === 1) return delimiter;
    throw usageFailure('It should be one character, or "tab".');
  },
};

export const TIME_ZONE_OPTION: OptionRow = {
  flags: '--timezone <zone>',
  text: 'time zone of the tz database, such as Europe/Berlin; by default UTC',
  read: (given) => {
    if (isTimeZone(given)) return given;
    throw usageFailure('It is not a time zone; Europe/Berlin and Asia/Tokyo are.');
  },
};

export const READING_OPTIONS: readonly OptionRow[] = [
  FORMAT_OPTION,
  { flags: '--encoding <name>', text: 'of a text file that is not UTF-8: shift_jis, windows-1252 and so on' },
  DELIMITER_OPTION,
  { flags: '--sheet <name>', text: 'sheet of an Excel file; by default the first' },
  { ...TIME_ZONE_OPTION, text: `of times without an offset: a ${TIME_ZONE_OPTION.text}` },
  { flags: '--date-format <format>', text: 'of dates such as 3/4/2026: DD/MM/YYYY or MM/DD/YYYY' },
  { flags: '--decimal-comma', text: 'numbers are written as 1.234,5' },
  { flags: '--list-separator <text>', text: 'between the elements of an array', default: ';' },
];

export const readOptionsOf = ({ encoding, delimiter, sheet }: FileOptions): ReadOptions => ({
  ...(encoding === undefined ? {} : { encoding }),
  ...(delimiter === undefined ? {} : { delimiter }),
  ...(sheet === undefined ? {} : { sheet }),
});

/** The order of day and month, if nobody says it, is the one that the dates of the file tell. */
export function readingOf(options: ValueOptions, { rows }: Pick<Survey, 'rows'>): CellReading {
  const { timezone = 'UTC', dateFormat, decimalComma = false, listSeparator } = options;
  const texts = rows.flatMap(({ cells }) => cells.filter((cell): cell is string => typeof cell === 'string'));
  const order = dateFormat === undefined ? orderOf(texts) : readDateOrder(dateFormat);
  return { timeZone: timezone, order, decimalComma, listSeparator };
}

/** From `DD/MM/YYYY`, `MM-DD-YYYY` or `dmy`. */
function readDateOrder(given: string): DateOrder {
  const letters = [...given.toLowerCase()].filter((letter) => 'dmy'.includes(letter));
  const order = [...new Set(letters)].join('');
  const known = DATE_ORDERS.find((each) => each === order);
  if (known !== undefined) return known;
  throw usageFailure(`--date-format ${given} is not known: use DD/MM/YYYY, MM/DD/YYYY or YYYY/MM/DD.`);
}

/** A whole number within bounds, of an option. */
export function readCount(flag: string, text: string, [min, max]: readonly [number, number]): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  const bounds = `${min.toLocaleString('en')} to ${max.toLocaleString('en')}`;
  throw usageFailure(`${flag} must be a whole number from ${bounds}.`);
}
