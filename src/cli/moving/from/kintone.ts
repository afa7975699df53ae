// kintone: the fields of an app as its interface returns them (`GET /k/v1/app/form/fields.json`), and the CSV file that the
// app exports, whose heading has the names or the codes of the fields.

import type { ColumnInput } from '../../../wire/publish-document.ts';
import {
  type Foreign,
  type ForeignColumn,
  LOCAL_TIMES,
  listColumn,
  objectIn,
  simpleColumn,
  splitList,
  textColumn,
} from './foreign.ts';

const TEXTS = new Set([
  'SINGLE_LINE_TEXT',
  'MULTI_LINE_TEXT',
  'RICH_TEXT',
  'LINK',
  'DROP_DOWN',
  'RADIO_BUTTON',
  'STATUS',
  'RECORD_NUMBER',
]);
const LISTS = new Set(['CHECK_BOX', 'MULTI_SELECT', 'CATEGORY']);
const PEOPLE = new Set(['USER_SELECT', 'ORGANIZATION_SELECT', 'GROUP_SELECT', 'STATUS_ASSIGNEE']);
const TYPES: Readonly<Record<string, ColumnInput['type']>> = {
  NUMBER: 'Number',
  CALC: 'Number',
  DATE: 'Date',
  TIME: 'Time',
  DATETIME: 'DateTime',
  CREATED_TIME: 'DateTime',
  UPDATED_TIME: 'DateTime',
};
const NOT_DATA = new Set(['LABEL', 'SPACER', 'HR', 'GROUP']);

export function readKintone(schema: unknown, name: string): Foreign {
  const { properties } = objectIn(schema, 'the form');
  const notes: string[] = [];
  const columns = Object.values(objectIn(properties, '"properties"')).flatMap((value): ForeignColumn[] => {
    const field = objectIn(value, 'a field');
    const [label, code, type] = [String(field.label ?? field.code), String(field.code), String(field.type)];
    const isEnabled = field.enabled !== false;
    if (!isEnabled || NOT_DATA.has(type)) return [];
    const found = columnOf(label, type, field.unique === true);
    if (found.note !== undefined) notes.push(`${label}: ${found.note}`);
    return found.column === undefined ? [] : [{ source: label, otherNames: [code], ...found, column: found.column }];
  });
  return { collections: [{ name, columns }], notes };
}

interface Found {
  readonly column?: ColumnInput;
  readonly rewrite?: NonNullable<ForeignColumn['rewrite']>;
  readonly note?: string;
}

function columnOf(name: string, type: string, unique: boolean): Found {
  const flags = unique || type === 'RECORD_NUMBER' ? { unique: true } : {};
  if (TEXTS.has(type)) return { column: textColumn(name, flags) };
  const known = TYPES[type];
  if (known !== undefined) {
    const column = { ...simpleColumn(name, known), ...flags } as ColumnInput;
    if (type === 'CALC') return { column, note: 'the formula is not kept, only its present values' };
    return known === 'DateTime' ? { column, note: LOCAL_TIMES } : { column };
  }
  // Several choices stand in one cell, a line each.
  if (LISTS.has(type)) return { column: listColumn(name), rewrite: splitList('\n') };
  if (PEOPLE.has(type)) return { column: listColumn(name), rewrite: splitList('\n'), note: 'people become texts' };
  if (type === 'CREATOR' || type === 'MODIFIER') return { column: textColumn(name), note: 'people become texts' };
  if (type === 'FILE') {
    return { column: listColumn(name), rewrite: splitList('\n'), note: 'the names of files are kept, not the files' };
  }
  return { note: `has no counterpart (${type})` };
}
