// What `publish` says about changes: what they lose, records that collide, and columns that look renamed.

import { shown } from '../../domain/definition/problems.ts';
import type { Application, Collection } from '../../wire/applications.ts';
import type { DefinitionChange, PublishReply } from '../../wire/operator.ts';
import type { Definition } from '../../wire/publish-document.ts';
import { plainValue, type RefusalParams } from '../refusals.ts';
import { countOf } from './columns.ts';

export function changeLine({ text, losesData, records = 0 }: DefinitionChange): string {
  if (!losesData) return text;
  return `${text} ${lossOf(records)}.`;
}

const lossOf = (records: number): string =>
  records === 0 ? 'No record loses anything' : `${countOf(records, 'record loses', 'records lose')} data`;

/** `current`: as it is published; `next`: as a dry run answers. */
export function dataLossText(losing: readonly DefinitionChange[], current: Definition, next: PublishReply): string {
  const isHarmless = losing.every(({ records = 0 }) => records === 0);
  return [
    isHarmless
      ? 'This removes or changes what may hold data, though no record loses anything now:'
      : 'This would lose data:',
    ...losing.map((change) => `  ${changeLine(change)}`),
    ...renameHints(current, next),
    'To publish nevertheless, use --allow-data-loss.',
  ].join('\n');
}

/** Columns and collections without an `id` that are added where another of the same kind goes. */
export function renameHints(current: Definition, { application, changes }: PublishReply): string[] {
  const of = (kind: DefinitionChange['kind']) => changes.filter((change) => change.kind === kind);
  const collections = pairs(
    named(current.collections, of('collection.remove')),
    named(application.collections, of('collection.add')),
    similarity,
  ).map(([before, after]) => hint(before, `Collection ${shown(after.name)}`));
  const columns = current.collections.flatMap((before) => {
    const after = application.collections.find(({ id }) => id === before.id);
    if (after === undefined) return [];
    const gone = before.columns.filter(({ id }) => of('column.remove').some(({ columnId }) => columnId === id));
    const added = after.columns.filter(({ id }) => of('column.add').some(({ columnId }) => columnId === id));
    const isSame = (one: { type: string }, other: { type: string }) => one.type === other.type;
    return pairs(gone, added, isSame).map(([one, other]) =>
      hint(one, `Column ${shown(other.name)} of ${shown(after.name)}`),
    );
  });
  return [...collections, ...columns];
}

const named = (collections: readonly Collection[], changes: readonly DefinitionChange[]): Collection[] =>
  collections.filter(({ id }) => changes.some(({ collectionId }) => collectionId === id));

/** Half of their columns have the same names. */
function similarity(one: Collection, other: Collection): boolean {
  const names = new Set(one.columns.map(({ name }) => name));
  const common = other.columns.filter(({ name }) => names.has(name)).length;
  return common * 2 >= Math.max(one.columns.length, other.columns.length);
}

function pairs<T>(gone: readonly T[], added: readonly T[], isSame: (one: T, other: T) => boolean): [T, T][] {
  const left = [...added];
  return gone.flatMap((one) => {
    const at = left.findIndex((other) => isSame(one, other));
    return at < 0 ? [] : [[one, left.splice(at, 1)[0] as T] as [T, T]];
  });
}

interface Named {
  readonly id: string;
  readonly name: string;
}

const hint = (before: Named, title: string): string =>
  `${title} looks like ${shown(before.name)} with another name. To rename it and keep its data, give it "id": "${before.id}" in the document.`;

/** `collections`: of the published definition, for the names. */
export function collisionText(
  { collisions = [] }: RefusalParams,
  collections: Definition['collections'] | Application['collections'],
): string {
  const lines = collisions.map(({ collectionId, columnId, value, recordIds }) => {
    const collection = collections.find(({ id }) => id === collectionId);
    const column = collection?.columns.find(({ id }) => id === columnId);
    const place = `column ${shown(column?.name ?? columnId)} of ${shown(collection?.name ?? collectionId)}`;
    return `  ${shown(plainValue(value))} in ${place}: ${recordIds.join(', ')}`;
  });
  return ['Records share values in a column that is to become unique:', ...lines].join('\n');
}
