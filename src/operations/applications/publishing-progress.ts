// How far a publishing has come: a row in the database for whoever asks, and lines in the log.

import type { OperatorContext } from '../../context.ts';
import { type Progress, putProgress, type Step } from '../../store/applications/publishing.ts';

const WRITE_MS = 500;
const LOG_MS = 10_000;

export interface Reporter {
  begin(step: Step, collectionId: string | null, total: number): void;
  advance(count: number): void;
}

/** Written besides the publishing and without waiting: that it cannot be written stops nothing. */
export function reportTo(context: Pick<OperatorContext, 'database' | 'observe'>, applicationId: string): Reporter {
  let progress: Progress | undefined;
  let writing = false;
  let written: Progress | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let loggedAt = Number.NEGATIVE_INFINITY;
  const writeOnce = async (now: Progress): Promise<void> => {
    written = now;
    writtenAt = performance.now();
    await putProgress(context.database.system, applicationId, now).catch(() => undefined);
  };
  const write = async (): Promise<void> => {
    if (writing) return;
    writing = true;
    // Another step is told at once, further progress within one by the next who comes late enough.
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
    context.observe({ event: 'application.publishing', applicationId, ...progress });
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
