// Compares what the database says of attachments with what is stored, and sets right what differs. Bytes are listed
// first and rows looked for afterwards: a row is there before its bytes and until after them, so that bytes without a row
// are nobody's. What is wrong is found in one walk and mended in another, which looks anew: nothing is kept in memory,
// and nothing is mended before it is known how much would be.

import { Fault } from '../faults.ts';
import { countAttachments } from '../store/attachment-checks.ts';
import { StaleDefinition } from '../store/sqlstate.ts';
import type { DoctorLine, Looked } from '../wire/doctor.ts';
import { everyApplication, type SweepContext } from './attachment-sweep.ts';
import { examineAttachments, examineUnfinished } from './doctor-attachments.ts';
import { examineFiles } from './doctor-files.ts';
import { FINDING_KINDS, newWalk, type Walk } from './doctor-walk.ts';

export interface DoctorOptions {
  readonly mend: boolean;
  /** Whether every file is read, and its hash compared. */
  readonly hashes: boolean;
  /** Mends also where so much is wrong that something else may be. */
  readonly force: boolean;
}

/** Fewer are a mistake that anybody can look through. */
const ALARM_MIN = 10;

export async function* examine(context: SweepContext, options: DoctorOptions): AsyncGenerator<DoctorLine> {
  try {
    const total = await countAll(context);
    const first = newWalk(context, { hashes: options.hashes, total });
    yield* walkThrough(first);
    const { looked, tallies } = first;
    const alarm = options.force ? undefined : alarming(looked, tallies);
    const isToMend = options.mend && first.found.size > 0;
    if (isToMend && alarm !== undefined) yield { type: 'refused', reason: alarm };
    if (isToMend && alarm === undefined) {
      // Reading every file takes long: only when one was found to be another than it should be.
      const hashes = options.hashes && tallies.otherContent.found > 0;
      const second = newWalk(context, { hashes, total, due: first.found });
      yield* walkThrough(second);
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
      // It was removed meanwhile.
      if (!(error instanceof StaleDefinition)) throw error;
    }
  }
}

async function countAll(context: SweepContext): Promise<number> {
  let total = 0;
  for await (const applicationId of everyApplication(context)) {
    total += await countAttachments(context.database.application(applicationId)).catch((error: unknown) => {
      if (error instanceof StaleDefinition) return 0;
      throw error;
    });
  }
  return total;
}

/** Why it is not to be believed that so much is wrong: a disk is not mounted, or the database is another one. */
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

function stopReason({ attachments: { blobs } }: SweepContext, error: unknown): string | undefined {
  if (!(error instanceof Fault) || error.code !== 'UNAVAILABLE') return undefined;
  if (!isStorage(error.params)) return 'The database does not answer.';
  const cause = error.cause instanceof Error ? error.cause.message : 'it does not answer';
  return `The place of the attachments, ${blobs.place}, cannot be read: ${cause}`;
}

const isStorage = (params: object | undefined): boolean =>
  params !== undefined && 'reason' in params && params.reason === 'storage';
