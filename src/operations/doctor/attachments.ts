// Attachments whose bytes differ from their rows, and uploads and removals that were left unfinished.

import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isoTime } from '../../domain/dates/iso-time.ts';
import {
  type CheckedRow,
  changeState,
  existingAttachments,
  pageOfStored,
} from '../../store/attachments/doctor-statements.ts';
import { pageOfUnfinished, type Unfinished } from '../../store/attachments/sweeps.ts';
import type { BlobKey } from '../../store/blobs/blobs.ts';
import type { DoctorLine, Finding, FindingKind } from '../../wire/doctor.ts';
import { listStoredFiles, throwStorageUnavailable } from '../attachments/stored-files.ts';
import { clearUnfinished, interruptedAmong } from '../upkeep/unfinished-attachments.ts';
import { advance, findingsOf, isDue, noteRemovals, type Walk } from './walk.ts';

const BYTES_KINDS: readonly FindingKind[] = ['withoutBytes', 'otherSize', 'otherContent', 'bytesBack'];
const LOOKS_AT_ONCE = 16;
/** A removal in progress is usually complete by then. */
const REMOVING_MS = 1_000;

interface Suspect {
  readonly row: CheckedRow;
  readonly kind: FindingKind;
  readonly size?: number;
}

export async function* examineAttachments(walk: Walk, applicationId: string): AsyncGenerator<DoctorLine> {
  if (!isDue(walk, applicationId, BYTES_KINDS)) return;
  const { looked } = walk;
  const reader = walk.context.database.application(applicationId);
  for (let after = ''; ; ) {
    const page = await pageOfStored(reader, after);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    const sizes = await sizesOf(walk, applicationId, page);
    const suspects: Suspect[] = [];
    for (const [index, row] of page.entries()) {
      const size = sizes[index];
      looked.attachments += 1;
      let hash: string | undefined;
      // An attachment may be marked as missing because of its content, so the content decides whether it is back.
      const isRead = size === row.size && (walk.hashes || row.state === 'missing');
      if (isRead) hash = await hashOf(walk, { applicationId, attachmentId: row.id });
      const kind = suspicion(row, size, hash);
      if (kind !== undefined) suspects.push({ row, kind, ...(size === undefined ? {} : { size }) });
      else if (row.state === 'missing') looked.missing += 1;
    }
    yield* await confirm(walk, applicationId, suspects);
    yield advance(walk, { step: 'attachments', done: looked.attachments, total: walk.filesOfAttachments });
  }
}

/** In the order of the rows. */
async function sizesOf({ context }: Walk, applicationId: string, page: readonly CheckedRow[]) {
  const { blobs } = context.attachments;
  const sizes: (number | undefined)[] = [];
  for (let start = 0; start < page.length; start += LOOKS_AT_ONCE) {
    const some = page.slice(start, start + LOOKS_AT_ONCE);
    const looks = some.map(({ id }) => blobs.size({ applicationId, attachmentId: id }));
    sizes.push(...(await Promise.all(looks).catch(throwStorageUnavailable)));
  }
  return sizes;
}

/** `hash`: undefined when the file was not read. */
function suspicion(row: CheckedRow, size: number | undefined, hash: string | undefined): FindingKind | undefined {
  if (row.state === 'missing') return hash !== undefined && hash === row.hash ? 'bytesBack' : undefined;
  if (size === undefined) return 'withoutBytes';
  if (size !== row.size) return 'otherSize';
  return hash !== undefined && hash !== row.hash ? 'otherContent' : undefined;
}

/** undefined when the file was removed meanwhile. */
async function hashOf(walk: Walk, key: BlobKey): Promise<string | undefined> {
  const bytes = await walk.context.attachments.blobs.read(key).catch(throwStorageUnavailable);
  if (bytes === undefined) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of listStoredFiles<Uint8Array>(bytes)) hash.update(chunk);
  return hash.digest('hex');
}

/** Reads the rows again: a row in the same state was in it while its bytes were missing. */
async function confirm(walk: Walk, applicationId: string, suspects: readonly Suspect[]): Promise<Finding[]> {
  if (suspects.length === 0) return [];
  const writer = walk.context.database.application(applicationId);
  const again = await existingAttachments(
    writer,
    suspects.map(({ row }) => row.id),
  );
  const sure = suspects.filter(({ row }) => again.get(row.id)?.state === row.state);
  const findings = findingsOf(
    walk,
    sure.map(({ row, kind, size }) => ({
      kind,
      applicationId,
      attachmentId: row.id,
      name: row.name,
      ...(size === undefined ? {} : { size }),
      expectedSize: row.size,
    })),
  );
  if (!walk.mending) return findings;
  for (const kind of new Set(sure.map((suspect) => suspect.kind))) {
    const ids = sure.filter((suspect) => suspect.kind === kind).map(({ row }) => row.id);
    const change =
      kind === 'bytesBack'
        ? ({ from: 'missing', to: 'available' } as const)
        : ({ from: 'available', to: 'missing' } as const);
    walk.tallies[kind].mended += (await changeState(writer, ids, change)).length;
  }
  return findings;
}

/** Abandoned uploads and removals; the sweep removes them within the hour. */
export async function* examineUnfinished(walk: Walk, applicationId: string): AsyncGenerator<DoctorLine> {
  if (!isDue(walk, applicationId, ['interrupted', 'halfRemoved'])) return;
  if (walk.mending) await mendUnfinished(walk, applicationId);
  else yield* findUnfinished(walk, applicationId);
}

async function mendUnfinished(walk: Walk, applicationId: string): Promise<void> {
  const { context, gone, tallies } = walk;
  await clearUnfinished(context, {
    applicationId,
    gone,
    done: (kind, removals) => {
      tallies[kind].found += removals.removed + removals.failed;
      noteRemovals(walk, { kind, applicationId }, removals);
    },
  });
}

async function* findUnfinished(walk: Walk, applicationId: string): AsyncGenerator<DoctorLine> {
  const { context, gone } = walk;
  const reader = context.database.application(applicationId);
  for (let after = ''; ; ) {
    const page = await pageOfUnfinished(reader, { after, now: isoTime(context.now()) });
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    const interrupted = new Set((await interruptedAmong(context, page, { gone })).ids);
    const halfRemoved = await stillRemoving(walk, applicationId, page);
    yield* findingsOf(
      walk,
      page.flatMap(({ id, name }) => {
        if (!interrupted.has(id) && !halfRemoved.has(id)) return [];
        const kind = interrupted.has(id) ? ('interrupted' as const) : ('halfRemoved' as const);
        return { kind, applicationId, attachmentId: id, name };
      }),
    );
    yield walk.progress;
  }
}

async function stillRemoving(walk: Walk, applicationId: string, page: readonly Unfinished[]): Promise<Set<string>> {
  const ids = page.filter(({ state }) => state === 'removing').map(({ id }) => id);
  if (ids.length === 0) return new Set();
  await pause(REMOVING_MS);
  const rows = await existingAttachments(walk.context.database.application(applicationId), ids);
  return new Set(rows.keys());
}
