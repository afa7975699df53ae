// What a publishing does before the switch and behind it, while requests go on: columns, their contents and indexes come
// before the next definition is seen, and go when no definition needs them any more. Each step is short for others;
// the note in cartulary.publishing says what to clear away, whoever does it and whenever.

import type { OperatorContext } from '../../context.ts';
import { type PreparedCollection, prepareCollections } from '../../domain/definition/application.ts';
import { type Projection, SEARCH_TEXT } from '../../domain/records/projections.ts';
import { readRecordText } from '../../domain/records/record-text.ts';
import { fault } from '../../faults.ts';
import { getApplication, putGeneration, type StoredApplication } from '../../store/applications/applications.ts';
import {
  addMissingProjections,
  analyzeTable,
  awaitWriters,
  buildIndex,
  countRecords,
  dropOtherIndexes,
  dropOtherProjections,
  dropTable,
  findCollisions,
  getPublishing,
  listPublishings,
  putPublishing,
  removePublishing,
  type Step,
  tryLockPublishing,
} from '../../store/applications/publishing.ts';
import type { Publisher } from '../../store/database/handles.ts';
import { announce } from '../../store/nodes/hearing.ts';
import { moveFence } from '../../store/records/fence.ts';
import { type Index, indexesOf } from '../../store/records/tables.ts';
import { fillRecords, type PageRow } from '../../store/records/walks.ts';
import type { Definition } from '../../wire/publish-document.ts';
import { kept } from './publish.ts';
import { type Reporter, reportTo } from './publishing-progress.ts';

export type PublishingContext = Pick<OperatorContext, 'database' | 'now' | 'observe' | 'hear'>;

/** What the table of a collection that stays lacks for the next definition. */
interface Lack {
  readonly collectionId: string;
  readonly columns: readonly Projection[];
  /** Those of them, and the search text, that records which are already there must be given. */
  readonly toFill: readonly Projection[];
  readonly indexes: readonly Index[];
}

function lacks(current: Definition, next: Definition): Lack[] {
  const [present, joined, coming] = [
    prepareCollections(current),
    prepareCollections(current, next),
    prepareCollections(next),
  ];
  return kept(current, next)
    .map(({ after: { id } }) => lackOf(id, present.get(id)!, { joined: joined.get(id)!, to: coming.get(id)! }))
    .filter(({ columns, toFill, indexes }) => columns.length + toFill.length + indexes.length > 0);
}

function lackOf(
  collectionId: string,
  from: PreparedCollection,
  { joined, to }: { joined: PreparedCollection; to: PreparedCollection },
): Lack {
  const projected = new Set(from.projections.all.map(({ name }) => name));
  const indexed = new Set(indexesOf(from).map(({ name }) => name));
  const isFoundByMore = findsMore(to, from);
  return {
    collectionId,
    columns: to.projections.all.filter(({ name }) => !projected.has(name)),
    toFill: joined.projections.all.filter(({ name }) =>
      name === SEARCH_TEXT ? isFoundByMore : !projected.has(name) && from.columns.has(columnIdOf(name)),
    ),
    indexes: indexesOf(to).filter(({ name }) => !indexed.has(name)),
  };
}

/** Names of projected columns end in the identifier of the column. */
const columnIdOf = (name: string): string => name.slice(name.indexOf('_') + 1);

/** Before anything is done of which something could be left. */
export async function note(
  context: PublishingContext,
  { system }: Publisher,
  { other, step }: { other: Definition; step: Step },
): Promise<void> {
  await putPublishing(system, other.id, { other, switched: false, step, startedAt: new Date(context.now()) });
}

/** Makes the tables ready for the switch. Answers the generation that writers have from then on. */
export async function prepare(
  context: PublishingContext,
  publisher: Publisher,
  { stored, next, reporter }: { stored: StoredApplication; next: Definition; reporter: Reporter },
): Promise<number> {
  const { definition: current } = stored;
  await note(context, publisher, { other: next, step: 'waiting' });
  const lacking = lacks(current, next);
  for (const { collectionId, columns } of lacking) await addMissingProjections(publisher, collectionId, columns);
  const toWrite = lacking.filter(({ columns, toFill }) => columns.length + toFill.length > 0);
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
  for (const { collectionId, toFill } of lacking) {
    if (toFill.length === 0) continue;
    const filling = { collection: joined.get(collectionId)!, toFill, generation, step: 'filling' as const };
    await fill(publisher, filling, reporter);
  }
  for (const { collectionId, toFill, indexes } of lacking) {
    reporter.begin('indexing', collectionId, indexes.length);
    for (const index of indexes) {
      await build(publisher, collectionId, index);
      reporter.advance(1);
    }
    if (toFill.length > 0) await analyzeTable(publisher, collectionId);
  }
  return generation;
}

/** From its commit on, writes of another generation are not applied any more. */
async function moveGeneration(
  context: PublishingContext,
  publisher: Publisher,
  { applicationId, ...moved }: { applicationId: string; generation: number; preparing: Definition | undefined },
): Promise<void> {
  await publisher.transaction(async (tx) => {
    await putGeneration(tx.system, applicationId, moved);
    await moveFence(tx.application, moved.generation);
    await announce(tx.system, { application: applicationId });
  });
  context.hear({ application: applicationId });
}

interface Filling {
  readonly collection: PreparedCollection;
  readonly toFill: readonly Projection[];
  readonly generation: number;
  readonly step: Step;
}

async function fill(
  publisher: Publisher,
  { collection, toFill, generation, step }: Filling,
  reporter: Reporter,
): Promise<void> {
  const { id } = collection.definition;
  const { application } = publisher;
  reporter.begin(step, id, await countRecords(application, id));
  const filled = ({ id, rec, hash, found, present }: PageRow, again: boolean) => {
    const { values } = readRecordText(rec);
    const projected = toFill.map((projection) => projection.read(values));
    const done = toFill.every(({ name }, index) => {
      if (name === SEARCH_TEXT) return projected[index] === found;
      return (projected[index] !== null) === (again && present[index] === true);
    });
    return done ? undefined : { id, hash, projected };
  };
  const table = { schema: application.schema, collection, generation };
  await fillRecords(publisher, { table, projections: toFill, fill: filled, onPage: reporter.advance });
}

const COLLISION_ATTEMPTS = 3;

async function build(publisher: Publisher, collectionId: string, index: Index): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { collidingColumnId: columnId } = await buildIndex(publisher, collectionId, index);
    if (columnId === undefined) return;
    const found = await findCollisions(publisher.application, collectionId, columnId, { byKey: true });
    const collisions = found.map(({ value, recordIds }) => ({ collectionId, columnId, value, recordIds }));
    // Where the colliding record has gone meanwhile, there is nothing to tell, and nothing in the way.
    if (collisions.length > 0 || attempt === COLLISION_ATTEMPTS) throw fault('UNIQUE_COLLISION', { collisions });
  }
}

/**
 * Leaves the tables as the definition that stands needs them: behind a switch, after a publishing that was stopped, and
 * after one whose process was killed. Does nothing when there is nothing left of any.
 */
export async function settle(context: PublishingContext, publisher: Publisher, applicationId: string): Promise<void> {
  const left = await getPublishing(publisher.system, applicationId);
  const stored = left && (await getApplication(publisher.system, applicationId));
  if (left === undefined || stored === undefined) return;
  const reporter = reportTo(context, applicationId);
  let { generation } = stored;
  if (stored.preparing !== undefined) {
    generation += 1;
    await moveGeneration(context, publisher, { applicationId, generation, preparing: undefined });
  }
  const others = prepareCollections(left.other);
  const step = left.switched ? 'clearing' : 'undoing';
  const collections = prepareCollections(stored.definition);
  const wanted = [...collections];
  // Most indexes go with their columns.
  await dropOtherProjections(publisher, new Map(wanted.map(([id, { projections }]) => [id, projections.all])));
  await dropOtherIndexes(publisher, new Map(wanted.map(([id, collection]) => [id, indexesOf(collection)])));
  for (const [id, collection] of collections) {
    const find = collection.projections.all.filter(({ name }) => name === SEARCH_TEXT);
    if (find.length > 0 && findsMore(others.get(id), collection)) {
      await awaitWriters(publisher, id);
      await fill(publisher, { collection, toFill: find, generation, step }, reporter);
    }
    others.delete(id);
  }
  // Before the switch there is no table of the next definition's alone.
  if (left.switched) for (const id of others.keys()) await dropTable(publisher, id);
  await removePublishing(publisher.system, applicationId);
}

/** Whether the other definition finds records by columns that are there and not searched. */
function findsMore(other: PreparedCollection | undefined, { columns, projections }: PreparedCollection): boolean {
  const marks = new Set(projections.sections.map(({ mark }) => mark));
  return other?.projections.sections.some(({ columnId, mark }) => columns.has(columnId) && !marks.has(mark)) === true;
}

/** Settles what is left of a publishing, unless its publisher, or another one, is alive: that one does it. */
export async function settleIfLeft(context: PublishingContext, applicationId: string): Promise<void> {
  await context.database.publisher(applicationId, async (publisher) => {
    if (await tryLockPublishing(publisher, applicationId)) await settle(context, publisher, applicationId);
  });
}

/** At the start of a node and from time to time. */
export async function settleInterrupted(context: PublishingContext): Promise<void> {
  for (const applicationId of await listPublishings(context.database.system)) {
    if (context.database.isPublishing(applicationId)) continue;
    await settleIfLeft(context, applicationId).catch((error: unknown) => {
      context.observe({ event: 'application.unsettled', applicationId, error });
    });
  }
}
