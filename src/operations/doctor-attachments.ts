// Attachments whose bytes are not what the row says, and rows on their way in or out that nobody moves on.

import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type CheckedRow, changeState, existingAttachments, pageOfStored } from '../store/attachment-checks.ts';
import { pageOfUnfinished, type Unfinished } from '../store/attachment-sweeps.ts';
import type { DoctorLine, Finding, FindingKind } from '../wire/doctor.ts';
import { interruptedAmong, someAtOnce, sweepUnfinished } from './attachment-sweep.ts';
import { findingsOf, isDue, unavailable, type Walk } from './doctor-walk.ts';

const BYTES_KINDS: readonly FindingKind[] = ['withoutBytes', 'otherSize', 'otherContent', 'bytesBack'];
const LOOKS_AT_ONCE = 16;
/** While a large file is read, so that whoever listens knows that somebody is there. */
const SIGN_OF_LIFE_MS = 2_000;
/** What is being removed is gone by then, or seldom is not. */
const SETTLED_MS = 1_000;

interface Suspect {
  readonly row: CheckedRow;
  readonly kind: FindingKind;
  readonly size?: number;
}

export async function* examineAttachments(walk: Walk, applicationId: string): AsyncGenerator<DoctorLine> {
  if (!isDue(walk, applicationId, BYTES_KINDS)) return;
  const { database, attachments } = walk.context;
  const reader = database.application(applicationId);
  for (let after = ''; ; ) {
    const page = await pageOfStored(reader, after);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    const sizes = await someAtOnce(page, LOOKS_AT_ONCE, ({ id }) =>
      attachments.blobs.size({ applicationId, attachmentId: id }),
    ).catch(unavailable);
    const suspects: Suspect[] = [];
    for (const [index, row] of page.entries()) {
      const size = sizes[index];
      walk.looked.attachments += 1;
      let hash: string | undefined;
      // One that is marked as missing may have been so for its contents: they decide whether it is back.
      const isRead = size === row.size && (walk.hashes || row.state === 'missing');
      if (isRead) hash = yield* hashOf(walk, { applicationId, attachmentId: row.id });
      const kind = suspicion(row, size, hash);
      if (kind !== undefined) suspects.push({ row, kind, ...(size === undefined ? {} : { size }) });
      else if (row.state === 'missing') walk.looked.missing += 1;
    }
    yield* await settle(walk, applicationId, suspects);
    yield walk.progress('attachments', walk.looked.attachments);
  }
}

/** `hash`: undefined when the file was not read. */
function suspicion(row: CheckedRow, size: number | undefined, hash: string | undefined): FindingKind | undefined {
  if (row.state === 'missing') return hash !== undefined && hash === row.hash ? 'bytesBack' : undefined;
  if (size === undefined) return 'withoutBytes';
  if (size !== row.size) return 'otherSize';
  return hash !== undefined && hash !== row.hash ? 'otherContent' : undefined;
}

/** Of the file; undefined when it has gone meanwhile. */
async function* hashOf(
  walk: Walk,
  key: { applicationId: string; attachmentId: string },
): AsyncGenerator<DoctorLine, string | undefined> {
  const bytes = await walk.context.attachments.blobs.read(key).catch(unavailable);
  if (bytes === undefined) return undefined;
  const hash = createHash('sha256');
  let told = performance.now();
  try {
    const chunks = bytes[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await chunks.next().catch(unavailable);
      if (done === true) break;
      hash.update(value as Uint8Array);
      if (performance.now() - told < SIGN_OF_LIFE_MS) continue;
      told = performance.now();
      yield walk.progress('attachments', walk.looked.attachments);
    }
  } finally {
    bytes.destroy();
  }
  return hash.digest('hex');
}

/** Looks at the rows again: one that is available still was so while its bytes were not there. */
async function settle(walk: Walk, applicationId: string, suspects: readonly Suspect[]): Promise<Finding[]> {
  if (suspects.length === 0) return [];
  const writer = walk.context.database.application(applicationId);
  const again = await existingAttachments(
    writer,
    suspects.map(({ row }) => row.id),
  );
  const sure = suspects.filter(({ row }) => again?.get(row.id)?.state === row.state);
  const told = findingsOf(
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
  if (!walk.mending) return told;
  for (const kind of new Set(sure.map((suspect) => suspect.kind))) {
    const ids = sure.filter((suspect) => suspect.kind === kind).map(({ row }) => row.id);
    const change =
      kind === 'bytesBack'
        ? ({ from: 'missing', to: 'available' } as const)
        : ({ from: 'available', to: 'missing' } as const);
    await changeState(writer, ids, change);
    walk.tallies[kind].mended += ids.length;
  }
  return told;
}

/** Uploads and removals that nobody goes on with; the sweep clears them away within the hour. */
export async function* examineUnfinished(walk: Walk, applicationId: string): AsyncGenerator<DoctorLine> {
  if (!isDue(walk, applicationId, ['interrupted', 'unfinished'])) return;
  const { context, tallies } = walk;
  const reader = context.database.application(applicationId);
  if (walk.mending) {
    const swept = await sweepUnfinished(context, applicationId);
    for (const kind of ['interrupted', 'unfinished'] as const) {
      tallies[kind].found += swept[kind];
      tallies[kind].mended += swept[kind];
    }
    return;
  }
  for (let after = ''; ; ) {
    const page = await pageOfUnfinished(reader, { after, now: new Date(context.now()).toISOString() });
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    const { ids } = await interruptedAmong(context, page);
    const interrupted = new Set(ids);
    const unfinished = await stillRemoving(walk, applicationId, page);
    yield* findingsOf(
      walk,
      page.flatMap(({ id, name }) => {
        if (!interrupted.has(id) && !unfinished.has(id)) return [];
        const kind = interrupted.has(id) ? ('interrupted' as const) : ('unfinished' as const);
        return { kind, applicationId, attachmentId: id, name };
      }),
    );
    yield walk.progress('attachments', walk.looked.attachments);
  }
}

async function stillRemoving(walk: Walk, applicationId: string, page: readonly Unfinished[]): Promise<Set<string>> {
  const ids = page.filter(({ state }) => state === 'removing').map(({ id }) => id);
  if (ids.length === 0) return new Set();
  await pause(SETTLED_MS);
  const rows = await existingAttachments(walk.context.database.application(applicationId), ids);
  return new Set(rows?.keys());
}
