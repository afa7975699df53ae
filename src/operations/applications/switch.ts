// The switch to the next definition: one transaction, all or nothing. Slow work is done before it (prepare.ts). Only the
// writers of a collection that loses values wait while its records are rewritten.

import type { OperatorContext } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { type PreparedCollection, prepareCollections } from '../../domain/definition/application.ts';
import { carryValues, keptCollections, losesValues } from '../../domain/definition/carry.ts';
import { readRecordText, recordText } from '../../domain/records/record-text.ts';
import { putApplication } from '../../store/applications/applications.ts';
import { createApplicationSchema } from '../../store/applications/migrate.ts';
import { ensureOrganization } from '../../store/applications/organizations.ts';
import { countRecords } from '../../store/applications/publish-checks.ts';
import { putPublishState } from '../../store/applications/publish-state.ts';
import { keepDefinition } from '../../store/applications/published-definitions.ts';
import { createCollectionTable, lockOutWriters } from '../../store/applications/table-changes.ts';
import type { JointTransaction, Transaction } from '../../store/database/handles.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
import { moveFence } from '../../store/records/fence.ts';
import { rewriteRecords, type WalkedRow } from '../../store/records/publish-walks.ts';
import type { RecordRow } from '../../store/records/records.ts';
import { deleteViewsOf } from '../../store/views/views.ts';
import type { Collection } from '../../wire/applications.ts';
import type { Definition } from '../../wire/publish-document.ts';
import { writeEntries } from '../activity/entries.ts';
import { operatorEntry } from '../activity/operator-log.ts';
import { laterOf, redraft } from '../records/stored-forms.ts';
import { refuseModeChange } from './mode-change.ts';
import type { ProgressReporter } from './progress.ts';
import type { PublishPlan } from './publish-plan.ts';

interface Switching {
  readonly plan: PublishPlan;
  /** The generation that the fence holds until the switch. */
  readonly generation: number;
  readonly reporter: ProgressReporter;
  /** For each lock. While the switch waits for a lock, writers wait for the switch. */
  readonly lockTimeoutMs: number;
}

export async function switchDefinition(
  context: OperatorContext,
  tx: JointTransaction,
  switching: Switching,
): Promise<void> {
  const { plan, generation, lockTimeoutMs } = switching;
  const { stored, next } = plan;
  const current = stored?.definition;
  const version = (stored?.version ?? 0) + 1;
  const now = context.now();
  await ensureOrganization(tx.system, next.organization);
  let migration: number | undefined;
  if (current === undefined) migration = await createTables(tx.application, next, generation);
  else {
    await refuseModeChange(tx, { current, next, lockTimeoutMs });
    await changeTables(tx.application, { ...switching, current, next, now });
    const startedAt = new Date(now);
    await putPublishState(tx.system, next.id, { other: current, switched: true, step: 'clearing', startedAt });
  }
  await moveFence(tx.application, generation + 1);
  await deleteViewsOf(tx.application, removedCollections(current, next));
  await putApplication(tx.system, { definition: next, version, generation: generation + 1, migration }, isoTime(now));
  await keepVersions(tx.application, plan, isoTime(now));
  const published = { definition: next, version, logged: current?.activityLogEnabled };
  await writeEntries(tx.application, operatorEntry(context, 'application.publish', published, {}));
  await announceToNodes(tx.system, { application: next.id });
}

async function keepVersions(
  tx: Transaction,
  { stored, next, changes }: PublishPlan,
  publishedAt: string,
): Promise<void> {
  // It is there already, unless it was published before versions were kept.
  if (stored !== undefined) {
    const { definition, version } = stored;
    await keepDefinition(tx, { definition, version, publishedAt: isoTime(stored.publishedAt), changes: undefined });
  }
  await keepDefinition(tx, { definition: next, version: (stored?.version ?? 0) + 1, publishedAt, changes });
}

const removedCollections = (current: Definition | undefined, next: Definition): string[] =>
  (current?.collections ?? []).map(({ id }) => id).filter((id) => next.collections.every((other) => other.id !== id));

/** Returns the last migration that the schema has. */
async function createTables(tx: Transaction, next: Definition, generation: number): Promise<number> {
  const migration = await createApplicationSchema(tx, { generation });
  for (const collection of prepareCollections(next).values()) await createCollectionTable(tx, collection);
  return migration;
}

interface TableSwitch extends Pick<Switching, 'generation' | 'reporter' | 'lockTimeoutMs'> {
  readonly current: Definition;
  readonly next: Definition;
  readonly now: number;
}

async function changeTables(tx: Transaction, change: TableSwitch): Promise<void> {
  const { current, next } = change;
  const collections = prepareCollections(next);
  for (const collection of next.collections) {
    if (current.collections.every(({ id }) => id !== collection.id)) {
      await createCollectionTable(tx, collections.get(collection.id)!);
    }
  }
  for (const { before, after } of keptCollections(current, next)) {
    if (losesValues(before, after)) await rewrite(tx, { before, after: collections.get(after.id)! }, change);
  }
}

/** Records that keep their values are not written: their projections were filled before the switch. */
async function rewrite(
  tx: Transaction,
  { before, after }: { before: Collection; after: PreparedCollection },
  { generation, now, reporter, lockTimeoutMs }: TableSwitch,
): Promise<void> {
  await lockOutWriters(tx, before.id, lockTimeoutMs);
  reporter.begin('switching', before.id, await countRecords(tx, before.id));
  const table = { schema: tx.schema, collection: after, generation };
  const change = ({ id, rec }: WalkedRow): RecordRow | undefined => {
    const stored = readRecordText(rec);
    const made = redraft(after, id, carryValues(before, after.definition, stored.values));
    if (made.hash === stored.hash) return undefined;
    // The hash changes now, although no user updated the record.
    const timestamp = laterOf(isoTime(now), laterOf(stored.updatedAt, stored.timestamp));
    return {
      ...made,
      rec: recordText({ ...stored, timestamp, hash: made.hash, valuesJson: made.valuesJson }),
      createdBy: stored.createdBy,
      updatedBy: stored.updatedBy,
      updatedAt: stored.updatedAt,
    };
  };
  await rewriteRecords(tx, table, { change, onPage: reporter.advance });
}
