// A batch of updates that replace all values, with one statement. Whatever that cannot write, and every refusal, is left to the
// updates of locked records (operations/records/updates).

import { isoTime } from '../../domain/dates/iso-time.ts';
import { writeScope } from '../../domain/people/access.ts';
import { hashPart, tailPart } from '../../domain/records/record-text.ts';
import { loggedWrite } from '../../store/activity/logged-write.ts';
import type { Row } from '../../store/database/statements.ts';
import { replaceRecords } from '../../store/records/batch-replacements.ts';
import { violatedColumn } from '../../store/records/tables.ts';
import { recordEntries } from '../activity/entries.ts';
import { type InCollection, reportWritten } from '../in-collection.ts';
import { inOrderInSlices, type Outcome } from '../in-order.ts';
import { isLongAmongOthers } from './joined-writes.ts';
import { buildReplacement } from './single-statement-updates.ts';
import { draftInSlices, type StoredForm } from './stored-forms.ts';
import type { FoundTargets } from './targets.ts';
import type { Update } from './updates.ts';

/** Undefined if nothing was written. On a cluster, the statement and its entries would be a transaction after all. */
export async function replaceMany(
  at: InCollection,
  changes: readonly Update[],
  found: FoundTargets,
): Promise<Outcome | undefined> {
  if (at.store.engine === 'citus' || new Set(changes.map(({ id }) => id)).size < changes.length) return undefined;
  if (!changes.every(({ replace, read }) => replace && buildReplacement({ read }, found, undefined) !== undefined))
    return undefined;
  const { done: drafts, failure } = await inOrderInSlices(at, changes, ({ id, read }) =>
    draftInSlices(at, id, read.values),
  );
  if (failure !== undefined || drafts.some(({ valuesJson }) => isLongAmongOthers(valuesJson))) return undefined;
  const rows = await writeDrafts(at, drafts);
  if (rows.length === 0) return undefined;
  reportWritten(
    at,
    drafts.map(({ valuesJson }) => valuesJson.length),
  );
  const texts = new Map(rows.map(([id, text]) => [id, text as string]));
  return { texts: drafts.map(({ id }) => texts.get(id)!) };
}

async function writeDrafts(at: InCollection, drafts: readonly StoredForm[]): Promise<Row[]> {
  const { store, caller, collection, table } = at;
  const replacements = drafts.map(({ id, hash, projected, valuesJson }) => ({
    id,
    hash,
    projected,
    hashPart: hashPart(hash),
    tailPart: tailPart(caller, valuesJson),
  }));
  const batch = {
    replacements,
    now: isoTime(at.now()),
    updatedBy: caller,
    scope: writeScope(collection.definition, caller),
  };
  const entries = recordEntries(at, { kind: 'record.update', recordIds: drafts.map(({ id }) => id) });
  try {
    return await loggedWrite(store, replaceRecords(table, batch), entries);
  } catch (error) {
    // In a column that is about to become unique.
    if (violatedColumn(error) !== undefined) return [];
    throw error;
  }
}
