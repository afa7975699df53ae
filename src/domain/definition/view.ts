// The application as the interface shows it. Members are copied by name, so that a new setting of the definition is not
// published by accident.

import type { Application, Collection, Column } from '../../wire/applications.ts';
import type { Definition } from '../../wire/publish-document.ts';

/** The address of the application in the console; `publicUrl` has no trailing slash. */
export const applicationUrl = (publicUrl: string, applicationId: string): string =>
  `${publicUrl}/console/${applicationId}`;

export function applicationView(definition: Definition, version: number, url: string): Application {
  return {
    id: definition.id,
    name: definition.name,
    version,
    sharedUsersModeEnabled: definition.sharedUsersModeEnabled,
    teamsModeEnabled: definition.teamsModeEnabled,
    url,
    collections: definition.collections.map(collectionView),
  };
}

function collectionView({ id, name, readAccessType, writeAccessType, columns }: Collection): Collection {
  return { id, name, readAccessType, writeAccessType, columns: columns.map(columnView) };
}

function columnView(column: Column): Column {
  const { id, name, unique, sortable, searchable } = column;
  const flags = { unique, sortable, searchable };
  // One case per shape: TypeScript keeps type and scheme together only within a case.
  switch (column.type) {
    case 'Object':
      return { id, name, type: column.type, scheme: { keys: column.scheme.keys }, ...flags };
    case 'Array':
      return { id, name, type: column.type, scheme: { element: column.scheme.element }, ...flags };
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser': {
      const { collectionId, columnId } = column.scheme;
      return { id, name, type: column.type, scheme: { collectionId, columnId }, ...flags };
    }
    default:
      return { id, name, type: column.type, ...flags };
  }
}
