// Compares the rows of attachments with the stored files and repairs differences. Files are listed before rows are looked
// up: a row exists before its bytes and until after them, so bytes without a row belong to no attachment. One walk finds
// the problems and a second one, which checks again, repairs them: nothing is kept in memory, and nothing is repaired
// before the number of problems is known.

import { Fault } from '../../faults.ts';
import { withTimeout } from '../../request/timeout.ts';
import { StaleDefinition } from '../../store/database/database-errors.ts';
import type { DoctorLine, DoctorOptions, Looked } from '../../wire/doctor.ts';
import { applicationExists, everyApplication, type UpkeepContext } from '../every-application.ts';
import { examineAttachments, examineUnfinished } from './attachments.ts';
import { examineFiles } from './files.ts';
import { FINDING_KINDS, newWalk, type Walk } from './walk.ts';

/** Fewer problems than this can be reviewed by hand. */
const ALARM_MIN = 10;
/** Progress is repeated this often while nothing else is reported, so that the client sees a live connection. */
const SIGN_OF_LIFE_MS = 2_000;

export async function* examine(context: UpkeepContext, options: DoctorOptions): AsyncGenerator<DoctorLine> {
  try {
    const first = newWalk(context, { hashes: options.hashes });
    yield* withProgress(first, walkThrough(first));
    const { looked, tallies } = first;
    const alarm = options.force ? undefined : alarming(looked, tallies);
    const isToMend = options.mend && first.found.size > 0;
    if (isToMend && alarm !== undefined) yield { type: 'refused', reason: alarm };
    if (isToMend && alarm === undefined) {
      // Reading every file is slow: only if a file with other content was found.
      const hashes = options.hashes && tallies.otherContent.found > 0;
      const second = newWalk(context, { hashes, due: first.found });
      yield* withProgress(second, walkThrough(second));
      for (const kind of FINDING_KINDS) {
        const { found: met, mended } = second.tallies[kind];
        tallies[kind].mended = mended;
        tallies[kind].left = Math.max(0, met - mended);
      }
    }
    yield { type: 'end', looked, tallies };
  } catch (error) {
    const reason = stopReason(context, error);
    if (reason === undefined) throw error;
    yield { type: 'stopped', reason };
  }
}

async function* walkThrough(walk: Walk): AsyncGenerator<DoctorLine> {
  yield* examineFiles(walk);
  for await (const applicationId of everyApplication(walk.context)) {
    walk.looked.applications += 1;
    try {
      yield* examineAttachments(walk, applicationId);
      yield* examineUnfinished(walk, applicationId);
    } catch (error) {
      // The application may have been removed meanwhile.
      if (!(error instanceof StaleDefinition) || (await applicationExists(walk.context, applicationId))) throw error;
    }
  }
}

/** The lines, and the progress of the walk while there are none. */
async function* withProgress(walk: Walk, lines: AsyncGenerator<DoctorLine>): AsyncGenerator<DoctorLine> {
  try {
    for (;;) {
      const next = lines.next();
      // `next` is awaited below, unless the reader leaves first: then its error must not count as unhandled.
      const ended = next.then(
        () => true,
        () => true,
      );
      while (!(await withTimeout(SIGN_OF_LIFE_MS, ended))) yield walk.progress;
      const { done, value } = await next;
      if (done === true) return;
      yield value;
    }
  } finally {
    await lines.return(undefined);
  }
}

/** So many problems suggest another cause: a disk that is not mounted, or the wrong database. */
function alarming(looked: Looked, tallies: Walk['tallies']): string | undefined {
  const lost = tallies.withoutBytes.found + tallies.otherSize.found + tallies.otherContent.found;
  if (lost > ALARM_MIN && lost * 2 > looked.attachments) {
    return `${lost} of ${looked.attachments} attachments have no file, or another one, at ${looked.place}. Is it the right place, and is its disk mounted?`;
  }
  const strange = tallies.bytesWithoutAttachment.found + tallies.bytesWithoutApplication.found;
  if (strange > ALARM_MIN && strange * 2 > looked.files) {
    return `${strange} of ${looked.files} files at ${looked.place} belong to no attachment of this database. Is it the right place, and the right database?`;
  }
  return undefined;
}

function stopReason({ attachments: { blobs } }: UpkeepContext, error: unknown): string | undefined {
  if (error instanceof StaleDefinition) {
    const { cause } = error;
    return `The attachments of an application cannot be read${cause instanceof Error ? `: ${cause.message}` : '.'}`;
  }
  if (!(error instanceof Fault) || error.code !== 'UNAVAILABLE') return undefined;
  if (!isStorage(error.params)) return 'The database does not answer.';
  const cause = error.cause instanceof Error ? error.cause.message : 'it does not answer';
  return `The place of the attachments, ${blobs.location}, cannot be read: ${cause}`;
}

const isStorage = (params: object | undefined): boolean =>
  params !== undefined && 'reason' in params && params.reason === 'storage';
