// What a publish does to the tables before the switch, while requests go on: it adds columns, fills them and builds
// indexes for the next definition. Each step blocks other requests only briefly. The row in cartulary.publishing says what
// to undo should the publish be interrupted (cleanup.ts).

import { type PreparedCollection, prepareCollections } from '../../domain/definition/application.ts';
import { keptCollections } from '../../domain/definition/carry.ts';
import { type Projection, SEARCH_TEXT } from '../../domain/records/projections.ts';
import { fault } from '../../faults.ts';
import type { StoredApplication } from '../../store/applications/applications.ts';
import { findCollisions } from '../../store/applications/publish-checks.ts';
import { recordPublish } from '../../store/applications/publish-state.ts';
import {
  addMissingProjections,
  analyzeTable,
  awaitWriters,
  buildIndex,
} from '../../store/applications/table-changes.ts';
import type { Publisher } from '../../store/database/handles.ts';
import { type Index, indexesOf } from '../../store/records/tables.ts';
import type { Definition } from '../../wire/publish-document.ts';
import { fillColumns, moveGeneration, type PublishingContext, searchesMore } from './filling.ts';
import type { ProgressReporter } from './progress.ts';

/** What the table of a kept collection lacks for the next definition. */
interface MissingParts {
  readonly collectionId: string;
  readonly columns: readonly Projection[];
  /** Columns, and the search text, that must be filled for existing records. */
  readonly toFill: readonly Projection[];
  readonly indexes: readonly Index[];
}

function missingParts(current: Definition, next: Definition): MissingParts[] {
  const [present, joined, coming] = [
    prepareCollections(current),
    prepareCollections(current, next),
    prepareCollections(next),
  ];
  return keptCollections(current, next)
    .map(({ after: { id } }) => missingPartsOf(id, present.get(id)!, { joined: joined.get(id)!, to: coming.get(id)! }))
    .filter(({ columns, toFill, indexes }) => columns.length + toFill.length + indexes.length > 0);
}

function missingPartsOf(
  collectionId: string,
  from: PreparedCollection,
  { joined, to }: { joined: PreparedCollection; to: PreparedCollection },
): MissingParts {
  const projected = new Set(from.projections.all.map(({ name }) => name));
  const indexed = new Set(indexesOf(from).map(({ name }) => name));
  const searchTextGrows = searchesMore(to, from);
  return {
    collectionId,
    columns: to.projections.all.filter(({ name }) => !projected.has(name)),
    toFill: joined.projections.all.filter(({ name }) =>
      name === SEARCH_TEXT ? searchTextGrows : !projected.has(name) && from.columns.has(columnIdOf(name)),
    ),
    indexes: indexesOf(to).filter(({ name }) => !indexed.has(name)),
  };
}

/** Names of projected columns end in the identifier of the column. */
const columnIdOf = (name: string): string => name.slice(name.indexOf('_') + 1);

/** Makes the tables ready for the switch. Returns the generation that writers have from then on. */
export async function prepareTables(
  context: PublishingContext,
  publisher: Publisher,
  { stored, next, reporter }: { stored: StoredApplication; next: Definition; reporter: ProgressReporter },
): Promise<number> {
  const { definition: current } = stored;
  await recordPublish(publisher, { other: next, step: 'waiting', now: context.now() });
  const missing = missingParts(current, next);
  for (const { collectionId, columns } of missing) await addMissingProjections(publisher, collectionId, columns);
  const toWrite = missing.filter(({ columns, toFill }) => columns.length + toFill.length > 0);
  let { generation } = stored;
  if (toWrite.length > 0) {
    generation += 1;
    await moveGeneration(context, publisher, { applicationId: next.id, generation, preparing: next });
    for (const { collectionId } of toWrite) {
      reporter.begin('waiting', collectionId, 0);
      await awaitWriters(publisher, collectionId);
    }
  }
  const joined = prepareCollections(current, next);
  for (const { collectionId, toFill } of missing) {
    if (toFill.length === 0) continue;
    const filling = { collection: joined.get(collectionId)!, toFill, generation, step: 'filling' as const };
    await fillColumns(context, publisher, filling, reporter);
  }
  for (const { collectionId, toFill, indexes } of missing) {
    reporter.begin('indexing', collectionId, indexes.length);
    for (const index of indexes) {
      await buildOrRefuse(publisher, collectionId, index);
      reporter.advance(1);
    }
    if (toFill.length > 0) await analyzeTable(publisher, collectionId);
  }
  return generation;
}

const COLLISION_ATTEMPTS = 3;

async function buildOrRefuse(publisher: Publisher, collectionId: string, index: Index): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { collidingColumnId: columnId } = await buildIndex(publisher, collectionId, index);
    if (columnId === undefined) return;
    const found = await findCollisions(publisher.application, collectionId, columnId, { byKey: true });
    const collisions = found.map(({ value, recordIds }) => ({ collectionId, columnId, value, recordIds }));
    // None is found if the colliding record has changed meanwhile: try again.
    if (collisions.length > 0 || attempt === COLLISION_ATTEMPTS) throw fault('UNIQUE_COLLISION', { collisions });
  }
}
