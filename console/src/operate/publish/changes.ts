// The changes of a publishing in the order in which they matter, with the names of what they concern.

import type { DefinitionChange, OperatedCollection, PublishReply } from '../../api/operated-shapes.ts';

export interface NamedChange extends DefinitionChange {
  readonly collection: string | undefined;
  readonly column: string | undefined;
}

type Collections = readonly OperatedCollection[];

/** What loses data comes first; otherwise the order of the server. `before` has the names of what goes. */
export function namedChanges(changes: readonly DefinitionChange[], before: Collections, after: Collections) {
  const named = changes.map((change): NamedChange => {
    const { collectionId, columnId } = change;
    const places = [after, before].map((all) => all.find(({ id }) => id === collectionId));
    const column = places.flatMap((place) => place?.columns ?? []).find(({ id }) => id === columnId);
    return { ...change, collection: places.find((place) => place !== undefined)?.name, column: column?.name };
  });
  return [...named.filter(({ losesData }) => losesData === true), ...named.filter(({ losesData }) => !losesData)];
}

export const isNewApplication = ({ changes }: Pick<PublishReply, 'changes'>): boolean =>
  changes.some(({ kind }) => kind === 'application.create');

export const losesData = (changes: readonly DefinitionChange[]): boolean =>
  changes.some((change) => change.losesData === true);

/** What is added, removed or changed, as a sign beside the sentence. */
export function signOf({ kind }: DefinitionChange): '+' | '−' | '~' {
  if (kind.endsWith('.add') || kind.endsWith('.create')) return '+';
  return kind.endsWith('.remove') ? '−' : '~';
}

export interface LikelyRename {
  readonly id: string;
  readonly before: string;
  readonly after: string;
  /** The collection of a column. */
  readonly collection?: string;
}

/** Columns of the same type, and collections with half of their columns in common, of which one goes and one comes. */
export function likelyRenames(
  changes: readonly DefinitionChange[],
  before: Collections,
  after: Collections,
): LikelyRename[] {
  const idsOf = (kind: DefinitionChange['kind'], member: 'collectionId' | 'columnId') =>
    new Set(changes.filter((change) => change.kind === kind).map((change) => change[member]));
  const goneCollections = idsOf('collection.remove', 'collectionId');
  const newCollections = idsOf('collection.add', 'collectionId');
  const collections = pairs(
    before.filter(({ id }) => goneCollections.has(id)),
    after.filter(({ id }) => newCollections.has(id)),
    isSimilar,
  ).map(([one, other]) => ({ id: one.id, before: one.name, after: other.name }));
  const goneColumns = idsOf('column.remove', 'columnId');
  const newColumns = idsOf('column.add', 'columnId');
  const columns = before.flatMap((collection) => {
    const next = after.find(({ id }) => id === collection.id);
    return pairs(
      collection.columns.filter(({ id }) => goneColumns.has(id)),
      next?.columns.filter(({ id }) => newColumns.has(id)) ?? [],
      (one, other) => one.type === other.type,
    ).map(([one, other]) => ({ id: one.id, before: one.name, after: other.name, collection: collection.name }));
  });
  return [...collections, ...columns];
}

function isSimilar(one: OperatedCollection, other: OperatedCollection): boolean {
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
