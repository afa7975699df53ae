// The plan of a publish: decides what changes, and refuses what may not: a definition that cannot be (INVALID_DEFINITION),
// values lost without consent (WOULD_LOSE_DATA), equal values in a column that becomes unique (UNIQUE_COLLISION), users of
// the wrong kind (MODE_HAS_USERS). Reads only.

import type { OperatorContext } from '../../context.ts';
import { keptCollections, newlyUniqueColumns } from '../../domain/definition/carry.ts';
import { diffDefinitions } from '../../domain/definition/diff.ts';
import { resolveDocument } from '../../domain/definition/resolve.ts';
import { widthProblems } from '../../domain/definition/width.ts';
import { fault } from '../../faults.ts';
import { getApplication, type StoredApplication } from '../../store/applications/applications.ts';
import { countRecords, findCollisions } from '../../store/applications/publish-checks.ts';
import type { JointTransaction, Reader } from '../../store/database/handles.ts';
import type { DefinitionChange } from '../../wire/operator.ts';
import type { Definition, PublishDocument } from '../../wire/publish-document.ts';
import { refuseModeChange } from './mode-change.ts';

export interface PublishRequest {
  readonly applicationId: string;
  /** The document to publish, given the stored definition. */
  readonly document: (current: Definition | undefined) => PublishDocument & { readonly id: string };
  readonly allowDataLoss: boolean;
}

export interface PublishPlan {
  readonly stored: StoredApplication | undefined;
  readonly next: Definition;
  readonly changes: readonly DefinitionChange[];
}

export async function makePlan(
  context: OperatorContext,
  tx: JointTransaction,
  { applicationId, document }: Pick<PublishRequest, 'applicationId' | 'document'>,
): Promise<PublishPlan> {
  const stored = await getApplication(tx.system, applicationId);
  const current = stored?.definition;
  const next = resolveDocument(document(current), current, context.ids);
  if ('problems' in next) throw fault('INVALID_DEFINITION', { problems: next.problems });
  const tooWide = widthProblems(next);
  if (tooWide.length > 0) throw fault('INVALID_DEFINITION', { problems: tooWide });
  const changes: DefinitionChange[] = [];
  for (const change of diffDefinitions(current, next)) changes.push(await withRecordCount(tx, change));
  if (current !== undefined && changes.length > 0) {
    await refuseModeChange(tx, { current, next });
    await refuseCollisions(tx.application, current, next);
  }
  return { stored, next, changes };
}

async function withRecordCount(tx: JointTransaction, change: DefinitionChange): Promise<DefinitionChange> {
  if (!change.losesData || change.collectionId === undefined) return change;
  return { ...change, records: await countRecords(tx.application, change.collectionId, change.columnId) };
}

export function refuseDataLoss({ changes }: PublishPlan, { allowDataLoss }: PublishRequest): void {
  const losing = changes.filter((change) => change.losesData);
  if (losing.length > 0 && !allowDataLoss) throw fault('WOULD_LOSE_DATA', { changes: losing });
}

/** Collisions that are written after this check are found when the unique index is built (prepare.ts). */
async function refuseCollisions(reader: Reader, current: Definition, next: Definition): Promise<void> {
  const collisions = [];
  for (const { before, after } of keptCollections(current, next)) {
    for (const column of newlyUniqueColumns(before, after)) {
      for (const { value, recordIds } of await findCollisions(reader, after.id, column.id)) {
        collisions.push({ collectionId: after.id, columnId: column.id, value, recordIds });
      }
    }
  }
  if (collisions.length > 0) throw fault('UNIQUE_COLLISION', { collisions });
}
