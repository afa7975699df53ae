// Decides from the flags of the definition which parts of a record are stored in columns of their own, so that the database
// can order, search and compare records. A column that another collection refers to is projected for those references too,
// because they are ordered and searched by its live value.

import type { Collection, Column } from '../../wire/applications.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { ObjectValue, SimpleValue, Value, Values } from '../../wire/values.ts';
import { type Section, searchText, searchTextInSlices, sectionsOf } from '../search/search-text.ts';
import { attachmentIds, mayHoldAttachments } from '../values/attachments.ts';
import { setOwn } from '../values/object.ts';
import { schemeChange } from '../values/scheme-change.ts';
import { textKeyInSlices } from '../values/string.ts';
import { uniqueKey } from '../values/value-types.ts';

export type ProjectionKind = 'text' | 'number' | 'boolean' | 'dateTime' | 'date' | 'time' | 'json';

/** The value of one projected column of one record, as a query parameter. */
export type Projected = string | number | boolean | null;

export interface Projection {
  /** Name of the projected column in the collection's table. */
  readonly name: string;
  readonly kind: ProjectionKind;
  readonly read: (values: Values) => Projected;
  /** For long values, if reading those takes long. */
  readonly readInSlices?: (values: Values) => Generator<undefined, Projected, undefined>;
  /** Text longer than this, in code points, is cut; equal beginnings are compared by the record's own text. */
  readonly cut?: number;
}

/** The projections of one column, by purpose. */
export interface ColumnProjections {
  readonly column: Column;
  /** The key by which values of a unique column collide. */
  readonly key?: Projection;
  /** The value, or the name of a User or Attachment: for order and comparison. */
  readonly value?: Projection;
  readonly userId?: Projection;
  /** The record that a Reference points to. */
  readonly recordId?: Projection;
  /** The plain values inside an Object or Array. */
  readonly json?: Projection;
  readonly latitude?: Projection;
  readonly longitude?: Projection;
  /** Identifiers of the attachments in the value, to find the records that hold one. */
  readonly held?: Projection;
  /** Whether lists may be sorted by this column. */
  readonly ordered: boolean;
}

export interface CollectionProjections {
  readonly byColumn: ReadonlyMap<string, ColumnProjections>;
  /** Projections of unique columns come first, in the order of the columns. */
  readonly all: readonly Projection[];
  readonly sections: readonly Section[];
  /** Whether stored search texts have these sections alone: not while another definition is prepared or cleaned up. */
  readonly isSettled: boolean;
}

/** The longest text that fits an index row of 2,704 bytes together with two identifiers, whatever its characters. */
export const ORDERED_CUT = 600;
/** Long enough to distinguish most values of a column that is searched but not sorted. */
export const SEARCHED_CUT = 32;
export const SEARCH_TEXT = 'find';

interface Needs {
  readonly order: boolean;
  readonly search: boolean;
}

export function projectionsOf(definition: Definition, isSettled = false): Map<string, CollectionProjections> {
  const referred = referredNeeds(definition);
  return new Map(
    definition.collections.map(
      (collection) => [collection.id, { ...projectCollection(collection, referred), isSettled }] as const,
    ),
  );
}

/**
 * While tables are prepared for the next definition, writers write the projections of both definitions and readers use only
 * the current ones. A column that loses its values is written again only by the switch to the next definition.
 */
export function joinedProjections(definition: Definition, next: Definition): Map<string, CollectionProjections> {
  const coming = projectionsOf(next);
  const joined = projectionsOf(definition);
  for (const [id, present] of joined) {
    const after = coming.get(id);
    if (after !== undefined) joined.set(id, joinCollection(present, after));
  }
  return joined;
}

function joinCollection(present: CollectionProjections, coming: CollectionProjections): CollectionProjections {
  const survives = (columnId: string): boolean => {
    const [from, to] = [present.byColumn.get(columnId), coming.byColumn.get(columnId)];
    return from === undefined || to === undefined || schemeChange(from.column, to.column).kind !== 'replaced';
  };
  const names = new Set([SEARCH_TEXT, ...present.all.map(({ name }) => name)]);
  const added = [...coming.byColumn.values()]
    .filter(({ column }) => survives(column.id))
    .flatMap((column) => ofColumn(column).filter(({ name }) => !names.has(name)));
  const sections = coming.sections.filter(({ columnId }) => survives(columnId));
  // In the order of the next definition, so that the texts already have its form.
  const marks = new Set(sections.map(({ mark }) => mark));
  const all = [...sections, ...present.sections.filter(({ mark }) => !marks.has(mark))];
  const columns = present.all.filter(({ name }) => name !== SEARCH_TEXT);
  return { ...present, all: [...columns, ...added, ...findOf(all)] };
}

/** What the references to a column need, by `<collectionId>/<columnId>`. */
function referredNeeds(definition: Definition): Map<string, Needs> {
  const needs = new Map<string, Needs>();
  for (const { columns } of definition.collections) {
    for (const column of columns) {
      if (!('scheme' in column) || !('collectionId' in column.scheme)) continue;
      const referred = `${column.scheme.collectionId}/${column.scheme.columnId}`;
      const held = needs.get(referred);
      needs.set(referred, {
        order: column.sortable || held?.order === true,
        search: column.searchable || held?.search === true,
      });
    }
  }
  return needs;
}

function projectCollection(
  collection: Collection,
  referred: ReadonlyMap<string, Needs>,
): Omit<CollectionProjections, 'isSettled'> {
  const byColumn = new Map<string, ColumnProjections>();
  const sections: Section[] = [];
  for (const column of collection.columns) {
    const incoming = referred.get(`${collection.id}/${column.id}`);
    const needs = {
      order: column.sortable || incoming?.order === true,
      search: column.searchable || incoming?.search === true,
    };
    byColumn.set(column.id, projectColumn(column, needs));
    if (needs.search) sections.push(...sectionsOf(column));
  }
  return { byColumn, sections, all: allOf([...byColumn.values()], sections) };
}

function allOf(columns: readonly ColumnProjections[], sections: readonly Section[]): Projection[] {
  const keys = columns.flatMap(({ key }) => key ?? []);
  const others = columns.flatMap((column) => ofColumn(column).filter((projection) => projection !== column.key));
  return [...keys, ...others, ...findOf(sections)];
}

const ofColumn = ({ key, value, userId, recordId, json, latitude, longitude, held }: ColumnProjections): Projection[] =>
  [key, value, userId, recordId, json, latitude, longitude, held].filter((projection) => projection !== undefined);

function findOf(sections: readonly Section[]): Projection[] {
  if (sections.length === 0) return [];
  const read = (values: Values) => searchText(sections, values);
  return [{ name: SEARCH_TEXT, kind: 'text', read, readInSlices: (values) => searchTextInSlices(sections, values) }];
}

function projectColumn(column: Column, { order, search }: Needs): ColumnProjections {
  const key = column.unique ? { key: keyOf(column) } : {};
  const held = mayHoldAttachments(column) ? { held: of(column, 'a', 'json', heldAttachments) } : {};
  const common = { column, ordered: column.sortable, ...key, ...held };
  if (!order && !search) return common;
  switch (column.type) {
    case 'String': {
      const cut = order ? ORDERED_CUT : SEARCHED_CUT;
      const value = of(column, order ? 's' : 'p', 'text', (held) => cutText(textOf(held), cut));
      return { ...common, value: { ...value, cut } };
    }
    case 'User': {
      const value = of(column, 's', 'text', (held) => cutText(textOf(held), ORDERED_CUT));
      return { ...common, value, userId: of(column, 'i', 'text', (held) => ('id' in held ? held.id : null)) };
    }
    case 'Attachment':
      return { ...common, value: of(column, 's', 'text', (held) => cutText(textOf(held), ORDERED_CUT)) };
    case 'Number':
      return { ...common, value: of(column, 'n', 'number', plainOf) };
    case 'Boolean':
      return { ...common, value: of(column, 'b', 'boolean', plainOf) };
    case 'DateTime':
      return { ...common, value: of(column, 't', 'dateTime', plainOf) };
    case 'Date':
      return { ...common, value: of(column, 'd', 'date', plainOf) };
    case 'Time':
      return { ...common, value: of(column, 'h', 'time', plainOf) };
    case 'Location':
      return {
        ...common,
        latitude: of(column, 'y', 'number', (held) => (held.type === 'Location' ? degrees(held.latitude) : null)),
        longitude: of(column, 'x', 'number', (held) => (held.type === 'Location' ? degrees(held.longitude) : null)),
      };
    case 'Object':
    case 'Array':
      return { ...common, json: of(column, 'j', 'json', (held) => JSON.stringify(insideOf(held))) };
    default:
      return { ...common, recordId: of(column, 'r', 'text', (held) => ('recordId' in held ? held.recordId : null)) };
  }
}

/** The key of a long text is made of its digest. */
function keyOf(column: Column): Projection {
  const key = of(column, 'u', 'text', uniqueKey);
  if (column.type !== 'String') return key;
  return {
    ...key,
    *readInSlices(values) {
      const held = values[column.id];
      return held?.type === 'String' ? yield* textKeyInSlices(held) : key.read(values);
    },
  };
}

/** `prefix` differs by kind, so that a column whose type changes gets another projection unless both are stored alike. */
function of(column: Column, prefix: string, kind: ProjectionKind, read: (value: Value) => Projected): Projection {
  const columnId = column.id;
  return {
    name: `${prefix}_${columnId}`,
    kind,
    read: (values) => {
      const held = values[columnId];
      return held === undefined ? null : read(held);
    },
  };
}

function textOf(value: Value): string {
  if (value.type === 'String') return value.value;
  return value.type === 'User' || value.type === 'Attachment' ? value.name : '';
}

function plainOf(value: Value): Projected {
  switch (value.type) {
    case 'Number':
    case 'Boolean':
    case 'DateTime':
    case 'Date':
    case 'Time':
      return value.value;
    default:
      throw new Error(`A ${value.type} was found where a plain value is projected`);
  }
}

function heldAttachments(value: Value): Projected {
  const ids = attachmentIds(value);
  return ids.length === 0 ? null : JSON.stringify(ids);
}

/** Less than a thousandth of a millimetre. The database cannot compute the sine of smaller numbers. */
const LEAST_DEGREES = 1e-12;

/** An angle in the form that distances are computed from. */
export const degrees = (angle: number): number => (Math.abs(angle) < LEAST_DEGREES ? 0 : angle);

/** Cuts by code points, so that the beginnings compare as the whole texts do. */
export function cutText(text: string, codePoints: number): string {
  if (text.length <= codePoints) return text;
  let units = 0;
  for (let count = 0; count < codePoints && units < text.length; count += 1) {
    units += text.codePointAt(units)! > 0xffff ? 2 : 1;
  }
  return text.slice(0, units);
}

/** Values inside Objects and Arrays in the form that the search compiler (store/records/search) expects. */
function insideOf(value: Value): unknown {
  if (value.type === 'Object') {
    const inside: Record<string, unknown> = {};
    for (const key of Object.keys(value.value)) setOwn(inside, key, simpleInside(value.value[key]!));
    return inside;
  }
  if (value.type === 'Array') {
    return value.value.map((element: SimpleValue | ObjectValue) =>
      element.type === 'Object' ? insideOf(element) : simpleInside(element),
    );
  }
  throw new Error(`A ${value.type} has nothing inside`);
}

function simpleInside(value: SimpleValue): unknown {
  switch (value.type) {
    case 'User':
    case 'Attachment':
      return { id: value.id, name: value.name };
    case 'Location':
      return { latitude: degrees(value.latitude), longitude: degrees(value.longitude) };
    default:
      return value.value;
  }
}
