// Published applications: list, show, remove. Publishing one is in publish.ts.

import type { OperatorContext } from '../../context.ts';
import { fault } from '../../faults.ts';
import { getApplication, pageOfSummaries, removeApplication } from '../../store/applications/applications.ts';
import { insertErasure } from '../../store/applications/erasures.ts';
import { dropApplicationSchema } from '../../store/applications/migrate.ts';
import { lockPublishing } from '../../store/applications/publish-state.ts';
import { lockAllTables, retryOnLockTimeout } from '../../store/applications/table-changes.ts';
import { backupUnderWay, mayDestroy } from '../../store/database/backup-locks.ts';
import type { JointTransaction } from '../../store/database/handles.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
import type { ApplicationSummary } from '../../wire/operator.ts';
import type { Definition } from '../../wire/publish-document.ts';

export async function list({ database: { system } }: OperatorContext): Promise<ApplicationSummary[]> {
  const all: ApplicationSummary[] = [];
  for (let page = await pageOfSummaries(system, ''); page.length > 0; ) {
    all.push(...page);
    page = await pageOfSummaries(system, page.at(-1)!.id);
  }
  return all;
}

export async function show(context: OperatorContext, applicationId: string): Promise<Definition> {
  return (await requireApplication(context, applicationId)).definition;
}

export async function requireApplication(context: OperatorContext, applicationId: string) {
  const stored = await getApplication(context.database.system, applicationId);
  if (stored === undefined) throw fault('APPLICATION_NOT_FOUND', { applicationId });
  return stored;
}

export async function remove(context: OperatorContext, applicationId: string): Promise<void> {
  await context.database.publisher(applicationId, async (publisher) => {
    await lockPublishing(publisher, applicationId);
    await retryOnLockTimeout((lockTimeoutMs) =>
      publisher.transaction((tx) => removeAll(context, tx, { applicationId, lockTimeoutMs })),
    );
  });
  context.invalidate({ application: applicationId });
}

async function removeAll(
  context: OperatorContext,
  { system, application }: JointTransaction,
  { applicationId, lockTimeoutMs }: { applicationId: string; lockTimeoutMs: number },
): Promise<void> {
  for (const what of ['tables', 'files'] as const) {
    if (!(await mayDestroy(system, what))) throw backupUnderWay();
  }
  await lockAllTables(application, lockTimeoutMs);
  if (!(await removeApplication(system, applicationId))) throw fault('APPLICATION_NOT_FOUND', { applicationId });
  await dropApplicationSchema(application);
  // A job deletes its files (operations/upkeep/erasure).
  await insertErasure(system, applicationId, new Date(context.now()).toISOString());
  await announceToNodes(system, { application: applicationId });
}
