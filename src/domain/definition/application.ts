// A published definition, prepared once for all the requests that use it.

import type { Collection, Column } from '../../wire/applications.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { ReferenceTypeName } from '../../wire/values.ts';
import { type CollectionProjections, joinedProjections, projectionsOf } from '../records/projections.ts';

export interface ReferenceColumn {
  readonly columnId: string;
  readonly type: ReferenceTypeName;
  readonly referredCollectionId: string;
  readonly referredColumnId: string;
  /** The text of an entry of this column in a record, up to the identifier of the referred record. */
  readonly mark: string;
}

export interface PreparedCollection {
  readonly definition: Collection;
  readonly columns: ReadonlyMap<string, Column>;
  readonly uniqueColumns: readonly Column[];
  readonly references: readonly ReferenceColumn[];
  readonly projections: CollectionProjections;
}

export interface PreparedApplication {
  readonly id: string;
  readonly version: number;
  /** Writes must name it to pass the fence (store/records/fence). */
  readonly generation: number;
  readonly definition: Definition;
  /** Basic authentication is refused while the organization has single sign-on. */
  readonly singleSignOn: boolean;
  /** Sessions of an earlier epoch have ended (domain/people/sessions). */
  readonly signOnEpoch: number;
  readonly collections: ReadonlyMap<string, PreparedCollection>;
}

export function prepareApplication(
  stored: Omit<PreparedApplication, 'id' | 'collections'> & {
    readonly preparing: Definition | undefined;
    readonly isSettled: boolean;
  },
): PreparedApplication {
  const { definition, version, generation, singleSignOn, signOnEpoch, preparing, isSettled } = stored;
  const collections = prepareCollections(definition, preparing, isSettled);
  return { id: definition.id, version, generation, definition, singleSignOn, signOnEpoch, collections };
}

/**
 * `coming`: the next definition, while tables are being prepared for it and writers write what it needs as well. `isSettled`:
 * no other definition has left anything.
 */
export function prepareCollections(
  definition: Definition,
  coming?: Definition,
  isSettled = false,
): Map<string, PreparedCollection> {
  const projections =
    coming === undefined ? projectionsOf(definition, isSettled) : joinedProjections(definition, coming);
  return new Map(definition.collections.map((c) => [c.id, prepareCollection(c, projections.get(c.id)!)] as const));
}

function prepareCollection(collection: Collection, projections: CollectionProjections): PreparedCollection {
  return {
    definition: collection,
    projections,
    columns: new Map(collection.columns.map((column) => [column.id, column])),
    uniqueColumns: collection.columns.filter((column) => column.unique),
    references: collection.columns.flatMap((column) => {
      if (column.type !== 'ReferenceString' && column.type !== 'ReferenceNumber' && column.type !== 'ReferenceUser')
        return [];
      const { collectionId, columnId } = column.scheme;
      return {
        columnId: column.id,
        type: column.type,
        referredCollectionId: collectionId,
        referredColumnId: columnId,
        mark: `"${column.id}":{"collectionId":"${collectionId}","columnId":"${columnId}","recordId":"`,
      };
    }),
  };
}
