// How records are grouped for figures, in SQL, and how a group is read from a row. Groups compare as lists are ordered: texts by
// code points, users by their names, and no value before every value.

import type { Grouping } from '../../domain/records/figures.ts';
import type { Projection } from '../../domain/records/projections.ts';
import type { UserShort } from '../../wire/users.ts';
import type { Params } from '../database/params.ts';
import { stringSpelling } from './record-values.ts';
import type { Table } from './records.ts';
import { wholeText } from './search-leaves.ts';
import { METADATA_COLUMNS } from './tables.ts';

/** Groups are read from `t`, the table of the records, then from `g`, one row for each, and then from `p`, with their places. */
export interface Groups {
  /** Of each group: `value`, and what else its order or its text needs. */
  readonly columns: (params: Params) => readonly string[];
  /** The columns above that make a group. */
  readonly keys: readonly string[];
  /** The columns above that order groups. */
  readonly order: readonly string[];
  /** The order of the reply. */
  readonly shownOrder: readonly string[];
  /** A sum over the groups up to each, in the given order, as a further column. */
  readonly running: (order: string) => string;
  readonly fits: string;
  /** What is read with the value. */
  readonly addition: (table: string) => string;
  readonly read: (value: unknown, addition: unknown) => string | number | boolean | UserShort | null;
}

const PLAIN: Omit<Groups, 'columns'> = {
  keys: ['value'],
  order: ['value'],
  shownOrder: ['p.value nulls first'],
  running: () => '',
  fits: 'true',
  addition: () => 'null',
  read: (value) => value as string | number | boolean | null,
};

interface Setting {
  readonly table: Table;
  readonly zone: string;
}

export function groupsOf(grouping: Grouping, { table, zone }: Setting): Groups {
  switch (grouping.kind) {
    case 'value': {
      const value = projected(table, grouping.column.id, 'value');
      if (value.cut !== undefined) return textGroups(table, grouping.column.id, value);
      return { ...PLAIN, columns: () => [`t.${value.name} as value`] };
    }
    case 'user': {
      const { of } = grouping;
      if (of === 'createdBy') return userGroups('created_by', 'created_name');
      if (of === 'updatedBy') return userGroups('updated_by', 'updated_name');
      return userGroups(projected(table, of.id, 'userId').name, projected(table, of.id, 'value').name);
    }
    case 'date': {
      const { of, unit } = grouping;
      if (of === 'createdAt' || of === 'updatedAt') return dateGroups(unit, zoned(METADATA_COLUMNS[of].name, zone));
      const { name, kind } = projected(table, of.id, 'value');
      return dateGroups(unit, kind === 'date' ? () => `t.${name}::timestamp` : zoned(name, zone));
    }
  }
}

function projected({ collection }: Table, columnId: string, purpose: 'value' | 'userId'): Projection {
  const projection = collection.projections.byColumn.get(columnId)?.[purpose];
  if (projection === undefined) throw new Error(`the column ${columnId} is not projected`);
  return projection;
}

/** All texts of a reply together, in bytes: a text may have a megabyte, and there may be a thousand of them. */
const TEXT_BYTES_MAX = 2 * 1024 * 1024;

/**
 * A text that may go on after its cut is grouped by its length and digest too, and read from one of its records at the end. So no
 * step of the statement holds long texts.
 */
function textGroups({ collection }: Table, columnId: string, { name, cut = 0 }: Projection): Groups {
  const digest = `(select octet_length(w) || ' ' || encode(sha256(convert_to(w, 'UTF8')), 'hex')
        from (${stringSpelling(collection, columnId)}) s)`;
  return {
    ...PLAIN,
    columns: () => [
      `t.${name} as value`,
      `case when octet_length(t.${name}) >= ${cut} then ${digest} end as digest`,
      'min(t.id) as sample',
    ],
    keys: ['value', 'digest'],
    order: ['value', 'digest'],
    shownOrder: ['p.value nulls first', 'addition'],
    running: (order) =>
      `, sum(coalesce(split_part(g.digest, ' ', 1)::int, octet_length(g.value))) over (order by ${order}) as bytes`,
    fits: `coalesce(p.bytes, 0) <= ${TEXT_BYTES_MAX}`,
    addition: (table) =>
      `case when p.digest is not null and coalesce(p.bytes, 0) <= ${TEXT_BYTES_MAX}
        then (select ${wholeText('t', columnId)} from ${table} t where t.id = p.sample) end`,
    read: (value, whole) => (whole ?? value) as string | null,
  };
}

/** A name never changes, so all records of a user have the same. A name of a deleted user may be another's by now. */
const userGroups = (id: string, name: string): Groups => ({
  ...PLAIN,
  columns: () => [`t.${id} as value`, `min(t.${name}) as name`],
  order: ['name', 'value'],
  shownOrder: ['p.name nulls first', 'p.value'],
  addition: () => 'p.name',
  read: (userId, userName) => (userId === null ? null : { id: userId as string, name: userName as string }),
});

/** `local`: SQL for a timestamp without time zone. The group is the number of the first day of the unit. */
const dateGroups = (unit: string, local: (params: Params) => string): Groups => ({
  ...PLAIN,
  columns: (params) => [`date_trunc('${unit}', ${local(params)})::date - date '1970-01-01' as value`],
});

const zoned = (column: string, zone: string) => (params: Params) =>
  `t.${column} at time zone ${params.text(databaseZone(zone))}`;

/**
 * PostgreSQL takes these names for abbreviations of a time without summer time. The tz database has them as further names of
 * the zones here.
 */
const NOT_ABBREVIATIONS: Readonly<Record<string, string>> = {
  CET: 'Europe/Brussels',
  MET: 'Europe/Brussels',
  EET: 'Europe/Athens',
  WET: 'Europe/Lisbon',
};

const databaseZone = (zone: string): string => NOT_ABBREVIATIONS[zone.toUpperCase()] ?? zone;
