// Airtable: the schema of a base as its metadata interface returns it (`GET /v0/meta/bases/{baseId}/tables`), and the CSV
// files that a view downloads, called `Table-View.csv`.

import { isTimeZone } from '../../../domain/dates/time-zones.ts';
import type { Cell } from '../../../moving/formats/table.ts';
import { readDateTimeCell } from '../../../moving/values/cell-dates.ts';
import {
  type Foreign,
  type ForeignCollection,
  type ForeignColumn,
  LOCAL_TIMES,
  listColumn,
  objectIn,
  objectsIn,
  referenceColumn,
  simpleColumn,
  splitList,
  textColumn,
} from './foreign.ts';

const TEXTS = new Set([
  'singleLineText',
  'multilineText',
  'richText',
  'email',
  'url',
  'phoneNumber',
  'barcode',
  'singleSelect',
  'aiText',
  'externalSyncSource',
]);
const NUMBERS = new Set(['number', 'rating', 'autoNumber', 'count']);
const COMPUTED = new Set(['formula', 'rollup', 'lookup', 'multipleLookupValues']);
const PEOPLE = new Set(['singleCollaborator', 'multipleCollaborators', 'createdBy', 'lastModifiedBy']);

const isTextual = (type: string): boolean => TEXTS.has(type) || COMPUTED.has(type) || PEOPLE.has(type);

interface TableHere {
  readonly id: unknown;
  readonly name: string;
  readonly fields: readonly Record<string, unknown>[];
  readonly primary: string;
  /** Whether the primary field becomes a text, to which a reference can refer. */
  readonly isNamed: boolean;
}

export function readAirtable(schema: unknown): Foreign {
  const tables = objectsIn(objectIn(schema, 'the schema').tables, '"tables"').map((table): TableHere => {
    const fields = objectsIn(table.fields, `"fields" of ${String(table.name)}`);
    const primary = fields.find(({ id }) => id === table.primaryFieldId) ?? fields[0];
    return {
      id: table.id,
      name: String(table.name),
      fields,
      primary: String(primary?.name),
      isNamed: isTextual(String(primary?.type)),
    };
  });
  const notes: string[] = [];
  const collections = tables.map(
    ({ name, fields }): ForeignCollection => ({
      name,
      columns: fields.flatMap((field) => {
        const found = columnOf(field, tables);
        if (found.note !== undefined) notes.push(`${name}.${String(field.name)}: ${found.note}`);
        return found.column === undefined ? [] : [found.column];
      }),
    }),
  );
  return { collections, notes };
}

function columnOf(
  field: Record<string, unknown>,
  tables: readonly TableHere[],
): { readonly column?: ForeignColumn; readonly note?: string } {
  const [name, type] = [String(field.name), String(field.type)];
  const options = (field.options ?? {}) as Record<string, unknown>;
  const plain = (column: ForeignColumn['column'], rewrite?: ForeignColumn['rewrite']): ForeignColumn =>
    rewrite === undefined ? { source: name, column } : { source: name, column, rewrite };
  if (TEXTS.has(type)) return { column: plain(textColumn(name)) };
  if (NUMBERS.has(type)) return { column: plain(simpleColumn(name, 'Number'), withoutCommas) };
  if (type === 'currency')
    return { column: plain(simpleColumn(name, 'Number'), withoutSign), note: 'the currency sign is left out' };
  if (type === 'percent') return { column: plain(simpleColumn(name, 'Number'), percent) };
  if (type === 'duration')
    return { column: plain(simpleColumn(name, 'Number'), seconds), note: 'durations become seconds' };
  if (type === 'checkbox')
    return { column: plain(simpleColumn(name, 'Boolean'), (cell) => cell !== undefined && cell !== '') };
  if (type === 'date') return { column: plain(simpleColumn(name, 'Date'), dated(options)) };
  if (type === 'dateTime' || type === 'createdTime' || type === 'lastModifiedTime') {
    const inner = (options.result as { options?: Record<string, unknown> } | undefined)?.options ?? options;
    return timed(inner, (rewrite) => plain(simpleColumn(name, 'DateTime'), rewrite));
  }
  if (type === 'multipleSelects') return { column: plain(listColumn(name), splitList(',')) };
  if (type === 'multipleRecordLinks') return links(name, options, tables);
  if (type === 'multipleAttachments') {
    return {
      column: plain(listColumn(name), addresses),
      note: 'files are not downloaded; their addresses are kept, which expire',
    };
  }
  if (PEOPLE.has(type)) return { column: plain(textColumn(name)), note: 'people become texts' };
  if (COMPUTED.has(type))
    return { column: plain(textColumn(name)), note: `the ${type} is not kept, only its present values, as texts` };
  return { note: `has no counterpart (${type})` };
}

/** The files have the values of the primary field. */
function links(name: string, options: Record<string, unknown>, tables: readonly TableHere[]) {
  const target = tables.find(({ id }) => id === options.linkedTableId);
  if (options.prefersSingleRecordLink === true && target?.isNamed === true) {
    return { column: { source: name, column: referenceColumn(name, target.name, target.primary) } };
  }
  return {
    column: { source: name, column: listColumn(name), rewrite: splitList(',') },
    note: 'links to several records become a list of their names',
  };
}

const textual = (change: (cell: string) => Cell) => (cell: Cell) =>
  typeof cell === 'string' ? change(cell.trim()) : cell;

const withoutCommas = textual((cell) => cell.replaceAll(',', ''));
const withoutSign = textual((cell) => cell.replaceAll(/[^\d.eE+-]/g, ''));
const percent = textual((cell) => (cell.endsWith('%') ? Number(cell.slice(0, -1).replaceAll(',', '')) / 100 : cell));

/** `1:30` is hours and minutes, `1:30:15` has seconds too. */
const seconds = textual((cell) => {
  const [hours = 0, minutes = 0, rest = 0] = cell.split(':').map(Number);
  return cell.includes(':') ? hours * 3600 + minutes * 60 + rest : cell;
});

/** `name.png (address)`, separated by commas. */
const addresses = textual((cell) => [...cell.matchAll(/\((https?:[^)\s]+)\)/g)].map(([, address = '']) => address));

/** The files have the times of the zone that the field shows, without saying so; `client` is that of whoever exported. */
function timed(options: Record<string, unknown>, column: (rewrite: (cell: Cell) => Cell) => ForeignColumn) {
  const inOrder = dated(options);
  const zone = String(options.timeZone ?? 'client');
  const timeZone = zone === 'utc' ? 'UTC' : zone;
  if (!isTimeZone(timeZone)) return { column: column(inOrder), note: LOCAL_TIMES };
  return {
    column: column((cell) =>
      textual((text) => (text === '' ? text : readDateTimeCell(text, { order: 'ymd', timeZone })))(inOrder(cell)),
    ),
  };
}

/** Day and month stand as the field formats them. */
function dated(options: Record<string, unknown>) {
  const format = (options.dateFormat as { name?: string } | undefined)?.name;
  const order = format === 'european' ? [2, 1, 0] : [2, 0, 1];
  return textual((cell) => {
    const parts = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(.*)$/.exec(cell);
    if (parts === null) return cell;
    const numbers = parts.slice(1, 4);
    const [year = '', month = '', day = ''] = order.map((at) => numbers[at] ?? '');
    return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${parts[4]}`;
  });
}
