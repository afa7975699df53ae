// The columns that the options --map and --ignore choose.

import type { ColumnDefinition } from '../../../../client/src/shapes.ts';
import { listed, shown } from '../../../domain/definition/problems.ts';
import { findByName, foldName, type Mapping, mappingOf } from '../../../moving/import/mapping.ts';
import type { Collection, Column } from '../../../wire/applications.ts';
import { chosen as chosenByName } from '../../commands/names.ts';
import { usageFailure } from '../../failure.ts';

export interface MappingOptions {
  /** `File column=Column` */
  readonly map?: readonly string[];
  /** Columns of the file that are left out. */
  readonly ignore?: readonly string[];
}

/** By what an option says; an unknown name is an error that offers the nearest. */
export const columnNamed = ({ name, columns }: Collection, given: string): Column =>
  chosenByName(`column of ${name}`, given, columns);

export function mapColumns(header: readonly string[], collection: Collection, options: MappingOptions): Mapping {
  const left = new Set((options.ignore ?? []).map(foldName));
  return mappingOf(header, collection, {
    chosen: new Map((options.map ?? []).map((given) => readPair(given, header, collection))),
    isLeft: (name) => left.has(foldName(name)),
  });
}

/** Names may have the sign themselves: every way to cut the text in two is tried. */
function readPair(given: string, header: readonly string[], collection: Collection): [string, ColumnDefinition] {
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
