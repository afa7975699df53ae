// What preparing and cleaning up share: moving the generation, after which writers write the columns of both definitions,
// and filling those columns for the records that exist.

import { setTimeout as wait } from 'node:timers/promises';
import type { OperatorContext } from '../../context.ts';
import type { PreparedCollection } from '../../domain/definition/application.ts';
import { type Projection, SEARCH_TEXT } from '../../domain/records/projections.ts';
import { readRecordText } from '../../domain/records/record-text.ts';
import type { Slices } from '../../load/slices.ts';
import { RequestSignal } from '../../request/signal.ts';
import { putGeneration } from '../../store/applications/applications.ts';
import { countRecords } from '../../store/applications/publish-checks.ts';
import type { PublishStep } from '../../store/applications/publish-state.ts';
import type { Publisher } from '../../store/database/handles.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
import { moveFence } from '../../store/records/fence.ts';
import { type FillingPace, fillRecords, type WalkedRow } from '../../store/records/publish-walks.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { ProgressReporter } from './progress.ts';

export type PublishingContext = Pick<OperatorContext, 'database' | 'now' | 'observe' | 'invalidate' | 'slices'>;

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

/** Not an identifier of an application: filling gives way to the requests of all of them, that of the publish among them. */
const TENANT = 'publishing';
/** Half the pause after a slice: with the whole, filling beside 100 requests a second would take five times as long. */
const PAUSE_PART = 1 / 2;

const paceBy = (slices: Slices): FillingPace => ({
  isBesideOthers: () => slices.isBesideOthers(TENANT),
  inSlices: async (steps) => {
    // It has no deadline and nobody cancels it.
    const owner = { tenant: TENANT, heavy: true, startedAt: performance.now(), signal: new RequestSignal() };
    try {
      return await slices.run(owner, steps);
    } finally {
      slices.end(owner);
    }
  },
  pauseAfter: async (milliseconds) => {
    const pauseMs = PAUSE_PART * slices.pauseTimes(TENANT) * milliseconds;
    if (pauseMs > 0) await wait(pauseMs);
  },
});

export async function fillColumns(
  { slices }: PublishingContext,
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
  await fillRecords(publisher, {
    table,
    projections: toFill,
    fill: filled,
    onPage: reporter.advance,
    pace: paceBy(slices),
  });
}

/** Whether the other definition searches columns of this collection that it does not search itself. */
export function searchesMore(
  other: PreparedCollection | undefined,
  { columns, projections }: PreparedCollection,
): boolean {
  const marks = new Set(projections.sections.map(({ mark }) => mark));
  return other?.projections.sections.some(({ columnId, mark }) => columns.has(columnId) && !marks.has(mark)) === true;
}
