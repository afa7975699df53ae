// What a path of a query names in a collection, and what a record holds there.

import type { Path } from './query.ts';
import type { Atom, AtomType, Column, ObjectValue, Setting, StoredRecord, Value } from './world.ts';

/** What stands at a path: one simple type, or the several keys of an Object. */
export type PlaceType = AtomType | 'Keys';

const META_TYPES: Readonly<Record<string, AtomType>> = {
  $createdAt: 'DateTime',
  $updatedAt: 'DateTime',
  $createdBy: 'User',
  $updatedBy: 'User',
  $id: 'String',
};
const REFERRED_TYPES: Readonly<Record<string, AtomType>> = {
  ReferenceString: 'String',
  ReferenceNumber: 'Number',
  ReferenceUser: 'User',
};

/** Undefined where there is no such column or key, or it is not searchable. */
export function placeType({ column: columnId, key }: Path, columns: readonly Column[]): PlaceType | undefined {
  const meta = META_TYPES[columnId];
  if (meta !== undefined) return key === undefined ? meta : undefined;
  const column = columns.find(({ id }) => id === columnId);
  if (column?.searchable !== true) return undefined;
  const { element, keys = element?.scheme?.keys } = column.scheme ?? {};
  if (key !== undefined) return keys?.find(({ name }) => name === key)?.type;
  if (keys !== undefined) return 'Keys';
  return element === undefined
    ? (REFERRED_TYPES[column.type] ?? (column.type as AtomType))
    : (element.type as AtomType);
}

export interface Held {
  /** `""`, `[]` and `{}` are values; a reference that resolves to nothing is none. */
  readonly present: boolean;
  readonly atoms: readonly Atom[];
}

const NOTHING: Held = { present: false, atoms: [] };
const one = (atom: Atom | undefined): Held => (atom === undefined ? NOTHING : { present: true, atoms: [atom] });

export function heldAt({ column, key }: Path, record: StoredRecord, setting: Setting): Held {
  switch (column) {
    case '$createdAt':
    case '$updatedAt':
      return one({ type: 'DateTime', value: column === '$createdAt' ? record.createdAt : record.updatedAt });
    case '$createdBy':
    case '$updatedBy':
      return one({ type: 'User', ...(column === '$createdBy' ? record.createdBy : record.updatedBy) });
    case '$id':
      return one({ type: 'String', value: record.id });
    default: {
      const value = record.values[column];
      return value === undefined ? NOTHING : heldIn(value, key, setting);
    }
  }
}

interface Seen {
  readonly version: number;
  readonly callerId: string;
  readonly atoms: readonly Atom[];
}
const lastSeen = new WeakMap<StoredRecord, Seen[]>();

/** All that bare terms look at, kept for each caller until anything changes: references may lead anywhere. */
export function atomsInSearchable(record: StoredRecord, setting: Setting): readonly Atom[] {
  const { version } = setting.world;
  const callerId = setting.caller.id;
  const seen = (lastSeen.get(record) ?? []).filter((one) => one.version === version);
  const known = seen.find((one) => one.callerId === callerId);
  if (known !== undefined) return known.atoms;
  const searchable = setting.columns.filter((column) => column.searchable === true);
  const atoms = searchable.flatMap(({ id }) => heldAt({ column: id }, record, setting).atoms);
  lastSeen.set(record, [...seen, { version, callerId, atoms }]);
  return atoms;
}

function heldIn(value: Value, key: string | undefined, { world, caller }: Setting): Held {
  switch (value.type) {
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser':
      return one(world.resolve(value, caller));
    case 'Object':
      return key === undefined ? { present: true, atoms: Object.values(value.value) } : one(value.value[key]);
    case 'Array': {
      const atoms = value.value.flatMap((element) => atomsOf(element, key));
      return { present: key === undefined || atoms.length > 0, atoms };
    }
    default:
      return one(value);
  }
}

function atomsOf(element: Atom | ObjectValue, key: string | undefined): Atom[] {
  if (element.type !== 'Object') return [element];
  if (key === undefined) return Object.values(element.value);
  const atom = element.value[key];
  return atom === undefined ? [] : [atom];
}
