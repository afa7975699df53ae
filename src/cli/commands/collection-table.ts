// Collections and columns with their identifiers, as commands print them.

import type { Collection, Column } from '../../wire/applications.ts';

export function collectionTable(collections: readonly Collection[]): string[][] {
  const rows = collections.flatMap(({ id, name, columns }) => [
    [name, '', '', id],
    ...columns.map((column) => ['', column.name, typeCell(column), column.id]),
  ]);
  return [['Collection', 'Column', 'Type', 'ID'], ...rows];
}

function typeCell(column: Column): string {
  const type = column.type === 'Array' ? `Array of ${column.scheme.element.type}` : column.type;
  const flags = (['unique', 'sortable', 'searchable'] as const).filter((flag) => column[flag]);
  return flags.length === 0 ? type : `${type}, ${flags.join(', ')}`;
}
