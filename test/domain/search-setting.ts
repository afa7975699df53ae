// What the tests of the search language search in: a collection with columns of all kinds, and conditions and syntax
// written so that a table of cases can be read. Not a test itself.

import { readSearch } from '../../src/domain/search/check.ts';
import type { Condition, SearchField } from '../../src/domain/search/condition.ts';
import { Fault } from '../../src/faults.ts';
import type { Column } from '../../src/wire/applications.ts';
import { SIMPLE_TYPES } from '../../src/wire/values.ts';

const flags = { unique: false, sortable: false, searchable: true };
const scheme = { collectionId: 't0000001', columnId: 'c0000099' };
const SOME_KEYS = SIMPLE_TYPES.map((type) => ({ name: type.toLowerCase(), type }));

export const COLUMNS: readonly Column[] = [
  { id: 'c0000001', name: 'Name', type: 'String', ...flags },
  { id: 'c0000002', name: 'Temp', type: 'Number', ...flags },
  { id: 'c0000003', name: 'Open', type: 'Boolean', ...flags },
  { id: 'c0000004', name: 'Started', type: 'DateTime', ...flags },
  { id: 'c0000005', name: 'Due', type: 'Date', ...flags },
  { id: 'c0000006', name: 'At', type: 'Time', ...flags },
  { id: 'c0000007', name: 'Place', type: 'Location', ...flags },
  { id: 'c0000008', name: 'Owner', type: 'User', ...flags },
  { id: 'c0000009', name: 'Photo', type: 'Attachment', ...flags },
  { id: 'c0000010', name: 'Site', type: 'ReferenceString', scheme, ...flags },
  { id: 'c0000011', name: 'Price', type: 'ReferenceNumber', scheme, ...flags },
  { id: 'c0000012', name: 'Boss', type: 'ReferenceUser', scheme, ...flags },
  { id: 'c0000013', name: 'Box', type: 'Object', scheme: { keys: SOME_KEYS }, ...flags },
  { id: 'c0000014', name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } }, ...flags },
  { id: 'c0000015', name: 'Sizes', type: 'Array', scheme: { element: { type: 'Number' } }, ...flags },
  {
    id: 'c0000016',
    name: 'Rows',
    type: 'Array',
    scheme: { element: { type: 'Object', scheme: { keys: SOME_KEYS } } },
    ...flags,
  },
  { id: 'c0000017', name: 'Hidden', type: 'String', ...flags, searchable: false },
  { id: 'c0000018', name: 'Twice', type: 'String', ...flags },
  { id: 'c0000019', name: 'Twice', type: 'Number', ...flags, searchable: false },
];

export const CALLER = 'ucaller1';

interface Asked {
  readonly columns?: readonly Column[];
  readonly zone?: string;
  readonly now?: string;
}

export function read(query: string, { columns = COLUMNS, zone = 'UTC', now = '2024-05-15T12:34:56.789Z' }: Asked = {}) {
  return readSearch(query, { columns, zone, now: Date.parse(now), callerId: CALLER });
}

/** The condition as a line, or `position: message` of what is wrong. */
export function ask(query: string, asked?: Asked): string {
  try {
    return written(read(query, asked));
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'INVALID_SEARCH') throw error;
    const { message, position } = error.params as { message: string; position: number };
    return `${position}: ${message}`;
  }
}

export function written(condition: Condition): string {
  switch (condition.kind) {
    case 'everything':
    case 'nothing':
      return condition.kind;
    case 'and':
    case 'or':
      return `${condition.kind}(${condition.parts.map(written).join(', ')})`;
    case 'not':
      return `not(${written(condition.part)})`;
    case 'present':
      return `present(${fieldName(condition.field)})`;
    case 'contains':
      return `${condition.fields.map(fieldName).join('|')}~${JSON.stringify(condition.term)}`;
    case 'text':
      return `${fieldName(condition.field)}${condition.operator}${JSON.stringify(condition.value)}`;
    case 'user':
      return `user(${[fieldName(condition.field), ...named('name', condition.name), ...named('id', condition.id)].join(' ')})`;
    case 'number':
    case 'boolean':
      return `${fieldName(condition.field)}${condition.operator}${condition.value}`;
    case 'range':
      return `${fieldName(condition.field)}[${condition.from ?? ''}..${condition.before ?? ''})`;
    case 'near':
      return `near(${fieldName(condition.field)} ${condition.latitude} ${condition.longitude} ${condition.metres})`;
  }
}

const named = (label: string, value: string | undefined): string[] =>
  value === undefined ? [] : [`${label}=${value}`];

function fieldName(field: SearchField): string {
  if (field.kind === 'metadata') return `$${field.name}`;
  return field.key === undefined ? field.column.name : `${field.column.name}.${field.key}`;
}
