// Which column of the collection each column of the file goes to.

import { listed, shown } from '../../../domain/definition/problems.ts';
import type { Collection, Column } from '../../../wire/applications.ts';
import { chosen as chosenByName } from '../../commands/names.ts';
import { usageFailure } from '../../failure.ts';

export interface MappingOptions {
  /** `File column=Column` */
  readonly map?: readonly string[];
  /** Columns of the file that are left out. */
  readonly ignore?: readonly string[];
}

export interface Mapping {
  /** Undefined for a column of the file that is left out. */
  columnAt(index: number): Column | undefined;
  readonly mapped: readonly { readonly name: string; readonly index: number; readonly column: Column }[];
  readonly ignored: readonly string[];
}

/** By what an option says; an unknown name is an error that offers the nearest. */
export const columnNamed = ({ name, columns }: Collection, given: string): Column =>
  chosenByName(`column of ${name}`, given, columns);

/** Added by `export` and to rejected rows; never a value. */
export const isMetadata = (name: string): boolean => name.startsWith('$');

/** Case, blanks and the signs that stand for blanks are forgiven. */
export const foldName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '');

/** `header` may grow: a column is looked for when it is first asked for. */
export function mapColumns(header: readonly string[], collection: Collection, options: MappingOptions): Mapping {
  const chosen = new Map((options.map ?? []).map((given) => readPair(given, header, collection)));
  const left = new Set((options.ignore ?? []).map(foldName));
  const known: (Column | undefined)[] = [];
  const find = (name: string): Column | undefined => {
    if (chosen.has(name)) return chosen.get(name);
    if (isMetadata(name) || left.has(foldName(name))) return undefined;
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
  throw usageFailure(
    `The columns ${shown(header[at])} and ${shown(name)} of the file would both go to ${shown(column.name)}. Leave one out with --ignore, or map it with --map.`,
  );
}

function findByName({ columns }: Collection, name: string): Column | undefined {
  const exact = columns.find((column) => column.name === name || column.id === name);
  if (exact !== undefined) return exact;
  const folded = columns.filter((column) => foldName(column.name) === foldName(name));
  return folded.length === 1 ? folded[0] : undefined;
}

/** Names may have the sign themselves: every way to cut the text in two is tried. */
function readPair(given: string, header: readonly string[], collection: Collection): [string, Column] {
  const cuts = [...given.matchAll(/=/g)].map(({ index }) => [given.slice(0, index), given.slice(index + 1)] as const);
  if (cuts.length === 0) throw usageFailure(`--map ${given} should look like --map "File column=Column".`);
  for (const [left, right] of cuts) {
    const name = header.find((each) => each === left) ?? header.find((each) => foldName(each) === foldName(left));
    const column = findByName(collection, right);
    if (name !== undefined && column !== undefined) return [name, column];
  }
  const [left = '', right = ''] = cuts[0] ?? [];
  if (findByName(collection, right) === undefined) {
    const names = collection.columns.map((column) => shown(column.name));
    throw usageFailure(`--map ${given}: ${collection.name} has no column ${shown(right)}. It has ${listed(names)}.`);
  }
  throw usageFailure(`--map ${given}: the file has no column ${shown(left)}. It has ${listed(header.map(shown))}.`);
}

export function requireMatch(mapping: Mapping, header: readonly string[], { name, columns }: Collection): void {
  if (mapping.mapped.length > 0) return;
  const [found, wanted] = [header.map(shown), columns.map((column) => shown(column.name))];
  const hint = header.length === 1 ? ' If the file has another separator than a comma, use --delimiter.' : '';
  throw usageFailure(
    `No column of the file is one of ${name}. The file has ${listed(found) || 'none'}; ${name} has ${listed(wanted) || 'none'}. Use --map "File column=Column".${hint}`,
  );
}
