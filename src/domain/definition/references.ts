// Resolves the collection and column that a Reference column names, by ID or by name, and checks that their types fit.
// Used on drafts, where IDs may still be missing, and again when all are known.

import type { ReferenceSchemeInput } from '../../wire/publish-document.ts';
import { REFERENCE_TYPES, type ReferenceTypeName, type ValueTypeName } from '../../wire/values.ts';
import type { DocumentFinding } from './findings.ts';
import { listed, pointer, shown } from './problems.ts';

/** The type that the referred column must have. */
export const REFERRED_TYPES = {
  ReferenceString: 'String',
  ReferenceNumber: 'Number',
  ReferenceUser: 'User',
} as const satisfies Record<ReferenceTypeName, ValueTypeName>;

export interface ReferableColumn {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly type?: ValueTypeName | undefined;
}

export interface ReferableCollection {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly columns: readonly ReferableColumn[];
}

export interface ReferenceLookup {
  readonly type: ReferenceTypeName;
  readonly scheme: ReferenceSchemeInput;
  /** The path of the scheme. */
  readonly path: string;
}

/** `undecided`: the ID is not in the document, but some of its items have no ID yet. */
export type ReferenceResult<Collection extends ReferableCollection> =
  | { readonly collection: Collection; readonly column: Collection['columns'][number] }
  | { readonly problem: DocumentFinding }
  | 'undecided';

export const isReferenceType = (type: ValueTypeName | undefined): type is ReferenceTypeName =>
  REFERENCE_TYPES.some((reference) => reference === type);

/** Indexed once for all lookups: the largest document has 40,000 references among 40,000 columns. */
export function referenceFinder<Collection extends ReferableCollection>(
  collections: readonly Collection[],
): (lookup: ReferenceLookup) => ReferenceResult<Collection> {
  const collectionIndex = indexed(collections);
  const columnIndexes = new Map(collections.map((collection) => [collection, indexed(columnsOf(collection))]));

  return ({ type, scheme, path }) => {
    const collection = findOne(collectionIndex, {
      ...{ id: scheme.collectionId, name: scheme.collection, path },
      ...{ idMember: 'collectionId', nameMember: 'collection', place: () => 'collection of this document' },
    });
    if (collection === 'undecided' || 'problem' in collection) return collection;

    const column = findOne(columnIndexes.get(collection.found)!, {
      ...{ id: scheme.columnId, name: scheme.column, path },
      ...{ idMember: 'columnId', nameMember: 'column' },
      place: () => `column of the collection ${shown(collection.found.name ?? collection.found.id)}`,
    });
    if (column === 'undecided' || 'problem' in column) return column;

    const expected = REFERRED_TYPES[type];
    if (column.found.type !== undefined && column.found.type !== expected) {
      const member = scheme.columnId === undefined ? 'column' : 'columnId';
      const params = { expected, type, found: column.found.type };
      return { problem: { path: pointer(path, member), code: 'refersToOtherType', params } };
    }
    return { collection: collection.found, column: column.found };
  };
}

const columnsOf = <Collection extends ReferableCollection>(
  collection: Collection,
): readonly Collection['columns'][number][] => collection.columns;

interface Named {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

interface Index<Item> {
  readonly byId: ReadonlyMap<string, Item>;
  readonly byName: ReadonlyMap<string, readonly Item[]>;
  /** Whether every item has its ID. */
  readonly complete: boolean;
}

function indexed<Item extends Named>(items: readonly Item[]): Index<Item> {
  const byId = new Map<string, Item>();
  const byName = new Map<string, Item[]>();
  for (const item of items) {
    if (item.id !== undefined) byId.set(item.id, item);
    if (item.name === undefined) continue;
    const sharing = byName.get(item.name);
    if (sharing) sharing.push(item);
    else byName.set(item.name, [item]);
  }
  return { byId, byName, complete: items.every(({ id }) => id !== undefined) };
}

interface Wanted {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly path: string;
  readonly idMember: string;
  readonly nameMember: string;
  readonly place: () => string;
}

function findOne<Item extends Named>(
  { byId, byName, complete }: Index<Item>,
  { id, name, path, idMember, nameMember, place }: Wanted,
): { found: Item } | { problem: DocumentFinding } | 'undecided' {
  if (id !== undefined) {
    const found = byId.get(id);
    if (found) return { found };
    return complete ? { problem: nothing(pointer(path, idMember), place()) } : 'undecided';
  }
  if (name === undefined) return 'undecided';
  const named = byName.get(name) ?? [];
  const [found, another] = named;
  if (!found) return { problem: nothing(pointer(path, nameMember), place()) };
  if (!another) return { found };
  const ids = named.flatMap((item) => item.id ?? []);
  const which = ids.length > 0 ? `, such as ${listed(ids, 'or')}` : '';
  const params = { place: place(), which };
  return { problem: { path: pointer(path, nameMember), code: 'refersToSeveral', params } };
}

const nothing = (path: string, place: string): DocumentFinding => ({
  path,
  code: 'refersToNothing',
  params: { place },
});
