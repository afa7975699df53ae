// The progress of a publish: a row in the database, which the operator's interface shows, and lines in the log.

import type { OperatorContext } from '../../context.ts';
import {
  getPublishState,
  type PublishProgress,
  type PublishStep,
  putPublishProgress,
} from '../../store/applications/publish-state.ts';
import { requireApplication } from './applications.ts';

const WRITE_MS = 500;
const LOG_MS = 10_000;

export interface ProgressReporter {
  begin(step: PublishStep, collectionId: string | null, total: number): void;
  advance(count: number): void;
}

/** Written outside the publisher's connection and not awaited: a failure to write it does not fail the publish. */
export function reportProgress(
  context: Pick<OperatorContext, 'database' | 'observe'>,
  applicationId: string,
): ProgressReporter {
  let progress: PublishProgress | undefined;
  let writing = false;
  let written: PublishProgress | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let loggedAt = Number.NEGATIVE_INFINITY;
  const writeOnce = async (now: PublishProgress): Promise<void> => {
    written = now;
    writtenAt = performance.now();
    await putPublishProgress(context.database.system, applicationId, now).catch(() => undefined);
  };
  const write = async (): Promise<void> => {
    if (writing) return;
    writing = true;
    // A new step is written at once, progress within a step at most every WRITE_MS.
    while (
      progress !== undefined &&
      (progress.step !== written?.step || progress.collectionId !== written.collectionId)
    ) {
      await writeOnce(progress);
    }
    writing = false;
  };
  const log = (): void => {
    if (progress === undefined) return;
    loggedAt = performance.now();
    const { step, collectionId, done, total } = progress;
    context.observe({
      event: 'application.publishing',
      applicationId,
      step,
      ...(collectionId === null ? {} : { collectionId }),
      // Most steps have nothing to count.
      ...(total === 0 ? {} : { done, total }),
    });
  };
  return {
    begin(step, collectionId, total) {
      progress = { step, collectionId, done: 0, total };
      void write();
      log();
    },
    advance(count) {
      if (progress === undefined) return;
      progress = { ...progress, done: Math.min(progress.done + count, progress.total) };
      const now = performance.now();
      if (!writing && now - writtenAt >= WRITE_MS) void writeOnce(progress);
      if (now - loggedAt >= LOG_MS) log();
    },
  };
}

/** `publishing` is null while no publish is running. */
export async function showProgress(context: OperatorContext, applicationId: string) {
  const { definition } = await requireApplication(context, applicationId);
  const state = await getPublishState(context.database.system, applicationId);
  if (state === undefined) return { publishing: null };
  const { step, collectionId, done, total, startedAt, other } = state;
  const collections = [...definition.collections, ...other.collections];
  const collectionName = collections.find(({ id }) => id === collectionId)?.name ?? null;
  return { publishing: { step, collectionId, collectionName, done, total, startedAt: startedAt.toISOString() } };
}
