// A published definition, prepared once for all the requests that use it.

import type { Collection, Column } from '../wire/applications.ts';
import type { Definition } from '../wire/publish-document.ts';
import type { ReferenceTypeName } from '../wire/values.ts';

export interface ReferenceColumn {
  readonly columnId: string;
  readonly type: ReferenceTypeName;
  readonly referredCollectionId: string;
  readonly referredColumnId: string;
  /** How an entry of this column begins in a record's text, up to the referred record's identifier. */
  readonly mark: string;
}

export interface PreparedCollection {
  readonly definition: Collection;
  readonly columns: ReadonlyMap<string, Column>;
  readonly uniqueColumns: readonly Column[];
  readonly references: readonly ReferenceColumn[];
}

export interface PreparedApplication {
  readonly id: string;
  readonly version: number;
  readonly definition: Definition;
  /** Basic authentication is closed while the organization has single sign-on. */
  readonly singleSignOn: boolean;
  readonly collections: ReadonlyMap<string, PreparedCollection>;
}

export function prepareApplication(
  definition: Definition,
  version: number,
  singleSignOn: boolean,
): PreparedApplication {
  const collections = definition.collections.map((c) => [c.id, prepareCollection(c)] as const);
  return { id: definition.id, version, definition, singleSignOn, collections: new Map(collections) };
}

export function prepareCollection(collection: Collection): PreparedCollection {
  return {
    definition: collection,
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
