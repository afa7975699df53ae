// A definition while it is designed. Collections, columns and keys have a key of their own, so that references, the
// selection and the lists hold while names change; what has no ID yet is referred to by its name in the document.

import { isReferenceType } from '../../../src/domain/definition/references.ts';
import type { AccessType, ArrayScheme, ObjectScheme } from '../../../src/wire/applications.ts';
import {
  type CollectionInput,
  type ColumnInput,
  DEFAULTS,
  type PublishDocument,
  type ReferenceSchemeInput,
} from '../../../src/wire/publish-document.ts';
import type { SimpleTypeName, ValueTypeName } from '../../../src/wire/values.ts';
import { filledLines } from './lines.ts';

export interface DesignedKey {
  readonly key: string;
  readonly name: string;
  readonly type: SimpleTypeName;
}

export type ElementType = SimpleTypeName | 'Object';

/** By keys. */
export interface Target {
  readonly collection: string;
  readonly column: string;
}

/** What another type would need is kept, so that trying a type loses nothing. */
export interface DesignedColumn {
  readonly key: string;
  readonly id?: string;
  readonly name: string;
  readonly type: ValueTypeName;
  readonly unique: boolean;
  readonly sortable: boolean;
  readonly searchable: boolean;
  /** Of an Object, or of the Objects of an Array. */
  readonly keys: readonly DesignedKey[];
  readonly element: ElementType;
  readonly refers?: Target;
}

export interface DesignedCollection {
  readonly key: string;
  readonly id?: string;
  readonly name: string;
  readonly readAccessType: AccessType;
  readonly writeAccessType: AccessType;
  readonly columns: readonly DesignedColumn[];
}

export type Settings = Omit<PublishDocument, 'collections' | '$schema'>;

export interface Design {
  readonly settings: Settings;
  readonly collections: readonly DesignedCollection[];
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Unique enough within a design: 26 to the power of 10. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint32Array(10))].map((number) => LETTERS[number % LETTERS.length]).join('');
}

export const newColumn = (name: string, type: ValueTypeName = 'String'): DesignedColumn => ({
  ...{ key: newKey(), name, type, unique: false, sortable: false, searchable: false, keys: [], element: 'String' },
});

export const newCollection = (name: string): DesignedCollection => ({
  ...{ key: newKey(), name, readAccessType: DEFAULTS.accessType, writeAccessType: DEFAULTS.accessType, columns: [] },
});

/** Those of a new application: what people expect of one is on. */
export const newSettings = (name: string, timeZone: string): Settings => ({
  ...{ name, timeZone, activityLogEnabled: true, pushNotificationsEnabled: true },
});

/** Of a document that its schema allows. */
export function designOf({ collections, $schema: _, ...settings }: PublishDocument): Design {
  const read = collections.map((collection) => ({ collection, designed: collectionOf(collection) }));
  return {
    settings,
    collections: read.map(({ collection, designed }) => ({
      ...designed,
      columns: designed.columns.map((column, index) => {
        if (!isReferenceType(column.type)) return column;
        const refers = targetOf(collection.columns[index]?.scheme as ReferenceSchemeInput, read);
        return refers === undefined ? column : { ...column, refers };
      }),
    })),
  };
}

interface Read {
  readonly collection: CollectionInput;
  readonly designed: DesignedCollection;
}

function targetOf(scheme: ReferenceSchemeInput, read: readonly Read[]): Target | undefined {
  const collection = read.find(({ designed: { id, name } }) =>
    scheme.collectionId === undefined ? name === scheme.collection : id === scheme.collectionId,
  )?.designed;
  const column = collection?.columns.find(({ id, name }) =>
    scheme.columnId === undefined ? name === scheme.column : id === scheme.columnId,
  );
  return collection && column && { collection: collection.key, column: column.key };
}

function collectionOf({ id, name, readAccessType, writeAccessType, columns }: CollectionInput): DesignedCollection {
  return {
    ...newCollection(name),
    ...(id === undefined ? {} : { id, key: id }),
    ...(readAccessType === undefined ? {} : { readAccessType }),
    ...(writeAccessType === undefined ? {} : { writeAccessType }),
    columns: columns.map(columnOf),
  };
}

function columnOf(column: ColumnInput): DesignedColumn {
  const { id, name, type, unique = false, sortable = false, searchable = false } = column;
  const element = type === 'Array' ? (column.scheme as ArrayScheme).element : undefined;
  const object = type === 'Object' ? (column.scheme as ObjectScheme) : element?.scheme;
  return {
    ...newColumn(name, type),
    ...(id === undefined ? {} : { id, key: id }),
    ...{ unique, sortable, searchable },
    ...(element === undefined ? {} : { element: element.type }),
    keys: (object?.keys ?? []).map((key) => ({ key: newKey(), name: key.name, type: key.type })),
  };
}

/** The same order everywhere: a path of a problem names the same item in the design. */
export function documentOf({ settings, collections }: Design): PublishDocument {
  const named = new Map(collections.map((collection) => [collection.key, collection]));
  const { profiles, teams, allowedOrigins } = settings;
  return {
    ...settings,
    ...(profiles === undefined ? {} : { profiles: filledLines(profiles) }),
    ...(teams === undefined ? {} : { teams: filledLines(teams) }),
    ...(allowedOrigins === undefined ? {} : { allowedOrigins: filledLines(allowedOrigins) }),
    collections: collections.map(({ id, name, readAccessType, writeAccessType, columns }) => ({
      ...(id === undefined ? {} : { id }),
      ...{ name, readAccessType, writeAccessType },
      columns: columns.map((column) => inputOf(column, named)),
    })),
  };
}

function inputOf(column: DesignedColumn, collections: ReadonlyMap<string, DesignedCollection>): ColumnInput {
  const { id, name, type, unique, sortable, searchable } = column;
  const scheme = schemeOf(column, collections);
  return {
    ...(id === undefined ? {} : { id }),
    ...{ name, type },
    ...(scheme === undefined ? {} : { scheme }),
    ...(unique ? { unique } : {}),
    ...(sortable ? { sortable } : {}),
    ...(searchable ? { searchable } : {}),
  };
}

function schemeOf(
  { type, keys, element, refers }: DesignedColumn,
  collections: ReadonlyMap<string, DesignedCollection>,
): ColumnInput['scheme'] {
  const object = { keys: keys.map((each) => ({ name: each.name, type: each.type })) };
  if (type === 'Object') return object;
  if (type === 'Array') {
    return { element: element === 'Object' ? { type: element, scheme: object } : { type: element } };
  }
  return isReferenceType(type) ? referenceOf(refers, collections) : undefined;
}

/** Without a target, or with one that is gone, what the rules then find wrong is shown at the field. */
function referenceOf(
  refers: Target | undefined,
  collections: ReadonlyMap<string, DesignedCollection>,
): ReferenceSchemeInput {
  const collection = refers && collections.get(refers.collection);
  if (refers === undefined || collection === undefined) return {};
  const column = collection.columns.find(({ key }) => key === refers.column);
  return {
    ...(collection.id === undefined ? { collection: collection.name } : { collectionId: collection.id }),
    ...(column === undefined ? {} : column.id === undefined ? { column: column.name } : { columnId: column.id }),
  };
}
