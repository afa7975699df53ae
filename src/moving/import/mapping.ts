// Which column of the collection each column of the file goes to.

import type { CollectionDefinition as Collection, ColumnDefinition as Column } from '../../../client/src/shapes.ts';
import { MovingFailure } from '../failure.ts';

export interface MappingChoice {
  /** By the name of the column of the file. */
  readonly chosen: ReadonlyMap<string, Column>;
  /** Columns of the file that are left out, although their name says where they go. */
  isLeft(name: string): boolean;
}

export interface Mapping {
  /** Undefined for a column of the file that is left out. */
  columnAt(index: number): Column | undefined;
  readonly mapped: readonly { readonly name: string; readonly index: number; readonly column: Column }[];
  readonly ignored: readonly string[];
}

/** Added by exports and to rejected rows; never a value. */
export const isMetadata = (name: string): boolean => name.startsWith('$');

/** Case, blanks and the signs that stand for blanks are forgiven. */
export const foldName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '');

/** `header` may grow: a column is looked for when it is first asked for. */
export function mappingOf(header: readonly string[], collection: Collection, choice: MappingChoice): Mapping {
  const { chosen, isLeft } = choice;
  const known: (Column | undefined)[] = [];
  const find = (name: string): Column | undefined => {
    if (chosen.has(name)) return chosen.get(name);
    if (isMetadata(name) || isLeft(name)) return undefined;
    const column = findByName(collection, name);
    return column !== undefined && [...chosen.values()].includes(column) ? undefined : column;
  };
  const extend = () => {
    while (known.length < header.length) {
      const name = header[known.length] ?? '';
      const column = find(name);
      if (column !== undefined) refuseSecond(header, known, name, column);
      known.push(column);
    }
  };
  extend();
  return {
    columnAt(index) {
      if (index >= known.length) extend();
      return known[index];
    },
    get mapped() {
      extend();
      return known.flatMap((column, index) =>
        column === undefined ? [] : [{ name: header[index] ?? '', index, column }],
      );
    },
    get ignored() {
      extend();
      return header.filter((_, index) => known[index] === undefined);
    },
  };
}

function refuseSecond(
  header: readonly string[],
  known: readonly (Column | undefined)[],
  name: string,
  column: Column,
): void {
  const at = known.findIndex((other) => other?.id === column.id);
  if (at === -1) return;
  throw new MovingFailure('twoColumns', { text: header[at] ?? '', referred: name, column: column.name });
}

export function findByName({ columns }: Collection, name: string): Column | undefined {
  const exact = columns.find((column) => column.name === name || column.id === name);
  if (exact !== undefined) return exact;
  const folded = columns.filter((column) => foldName(column.name) === foldName(name));
  return folded.length === 1 ? folded[0] : undefined;
}
