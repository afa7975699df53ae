// What a publish does to the tables before the switch, while requests go on: it adds columns, fills them and builds
// indexes for the next definition. Each step blocks other requests only briefly. The row in cartulary.publishing says what
// to undo should the publish be interrupted (cleanup.ts).

import type { OperatorContext } from '../../context.ts';
import { type PreparedCollection, prepareCollections } from '../../domain/definition/application.ts';
import { keptCollections } from '../../domain/definition/carry.ts';
import { type Projection, SEARCH_TEXT } from '../../domain/records/projections.ts';
import { readRecordText } from '../../domain/records/record-text.ts';
import { fault } from '../../faults.ts';
import { putGeneration, type StoredApplication } from '../../store/applications/applications.ts';
import { countRecords, findCollisions } from '../../store/applications/publish-checks.ts';
import { type PublishStep, putPublishState } from '../../store/applications/publish-state.ts';
import {
  addMissingProjections,
  analyzeTable,
  awaitWriters,
  buildIndex,
} from '../../store/applications/table-changes.ts';
import type { Publisher } from '../../store/database/handles.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
import { moveFence } from '../../store/records/fence.ts';
import { fillRecords, type WalkedRow } from '../../store/records/publish-walks.ts';
import { type Index, indexesOf } from '../../store/records/tables.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { ProgressReporter } from './progress.ts';

export type PublishingContext = Pick<OperatorContext, 'database' | 'now' | 'observe' | 'invalidate'>;

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

/** Written before the first change, so that an interrupted publish can be cleaned up. */
export async function recordPublish(
  context: PublishingContext,
  { system }: Publisher,
  { other, step }: { other: Definition; step: PublishStep },
): Promise<void> {
  await putPublishState(system, other.id, { other, switched: false, step, startedAt: new Date(context.now()) });
}

/** Makes the tables ready for the switch. Returns the generation that writers have from then on. */
export async function prepareTables(
  context: PublishingContext,
  publisher: Publisher,
  { stored, next, reporter }: { stored: StoredApplication; next: Definition; reporter: ProgressReporter },
): Promise<number> {
  const { definition: current } = stored;
  await recordPublish(context, publisher, { other: next, step: 'waiting' });
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
    await fillColumns(publisher, filling, reporter);
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

/** From its commit on, writes of another generation are refused. */
export async function moveGeneration(
  context: PublishingContext,
  publisher: Publisher,
  { applicationId, ...moved }: { applicationId: string; generation: number; preparing: Definition | undefined },
): Promise<void> {
  await publisher.transaction(async (tx) => {
    await putGeneration(tx.system, applicationId, moved);
    await moveFence(tx.application, moved.generation);
    await announceToNodes(tx.system, { application: applicationId });
  });
  context.invalidate({ application: applicationId });
}

interface Filling {
  readonly collection: PreparedCollection;
  readonly toFill: readonly Projection[];
  readonly generation: number;
  readonly step: PublishStep;
}

export async function fillColumns(
  publisher: Publisher,
  { collection, toFill, generation, step }: Filling,
  reporter: ProgressReporter,
): Promise<void> {
  const { id } = collection.definition;
  const { application } = publisher;
  reporter.begin(step, id, await countRecords(application, id));
  const filled = ({ id, rec, hash, found, stored }: WalkedRow, again: boolean) => {
    const { values } = readRecordText(rec);
    const projected = toFill.map((projection) => projection.read(values));
    const done = toFill.every(({ name }, index) => {
      if (name === SEARCH_TEXT) return projected[index] === found;
      return (projected[index] !== null) === (again && stored[index] === true);
    });
    return done ? undefined : { id, hash, projected };
  };
  const table = { schema: application.schema, collection, generation };
  await fillRecords(publisher, { table, projections: toFill, fill: filled, onPage: reporter.advance });
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

/** Whether the other definition searches columns of this collection that it does not search itself. */
export function searchesMore(
  other: PreparedCollection | undefined,
  { columns, projections }: PreparedCollection,
): boolean {
  const marks = new Set(projections.sections.map(({ mark }) => mark));
  return other?.projections.sections.some(({ columnId, mark }) => columns.has(columnId) && !marks.has(mark)) === true;
}
