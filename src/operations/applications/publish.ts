// Publishing an application, from the document to the reply: publish-plan (what changes, and whether it may), prepare
// (columns, values and indexes, while requests go on), switch (one transaction), cleanup. Each step is a file of that name.

import type { OperatorContext } from '../../context.ts';
import { checkDocument } from '../../domain/definition/check.ts';
import { applicationUrl, applicationView } from '../../domain/definition/view.ts';
import { fault } from '../../faults.ts';
import { getApplication } from '../../store/applications/applications.ts';
import { ensureMigrated } from '../../store/applications/migrate.ts';
import { lockPublishing, recordPublish } from '../../store/applications/publish-state.ts';
import { retryOnLockTimeout } from '../../store/applications/table-changes.ts';
import type { Publisher } from '../../store/database/handles.ts';
import type { Application } from '../../wire/applications.ts';
import type { DefinitionChange } from '../../wire/operator.ts';
import type { Definition, PublishDocument } from '../../wire/publish-document.ts';
import { requireApplication } from './applications.ts';
import { cleanUp, cleanUpAbandoned, reportUnsettled } from './cleanup.ts';
import { prepareTables } from './prepare.ts';
import { reportProgress } from './progress.ts';
import { makePlan, type PublishPlan, type PublishRequest, refuseDataLoss } from './publish-plan.ts';
import { switchDefinition } from './switch.ts';

export interface PublishInput {
  readonly document: unknown;
  readonly dryRun: boolean;
  readonly allowDataLoss: boolean;
}

export interface Published {
  readonly application: Application;
  readonly changes: readonly DefinitionChange[];
}

export async function publish(context: OperatorContext, input: PublishInput): Promise<Published> {
  const checked = checkDocument(input.document);
  if ('problems' in checked) throw fault('INVALID_DEFINITION', { problems: checked.problems });
  // Assigned once, before anything is written, so that every step names the same application.
  const applicationId = checked.document.id ?? context.ids.long('p');
  const document = () => ({ ...checked.document, id: applicationId });
  const request = { applicationId, document, allowDataLoss: input.allowDataLoss };
  if (!input.dryRun) return run(context, request);
  return published(
    context,
    await context.database.previewPublishing(applicationId, (tx) => makePlan(context, tx, request)),
  );
}

/** Publishes a change to the stored document. Safe against concurrent publishes: the change is applied under the lock. */
export async function amend(
  context: OperatorContext,
  applicationId: string,
  change: (current: Definition) => PublishDocument,
): Promise<void> {
  const document = (current: Definition | undefined) => {
    if (current === undefined) throw fault('APPLICATION_NOT_FOUND', { applicationId });
    return { ...change(current), id: applicationId };
  };
  await requireApplication(context, applicationId);
  await run(context, { applicationId, document, allowDataLoss: false });
}

async function run(context: OperatorContext, request: PublishRequest): Promise<Published> {
  const { applicationId } = request;
  let isBegun = false;
  try {
    return await context.database.publisher(applicationId, async (publisher) => {
      isBegun = true;
      await lockPublishing(publisher, applicationId);
      await cleanUp(context, publisher, applicationId);
      const stored = await getApplication(publisher.system, applicationId);
      if (stored) await recordPublish(publisher, { other: stored.definition, step: 'checking', now: context.now() });
      // Everything that can be refused is refused here, before a table is changed.
      const plan = await publisher.transaction((tx) => makePlan(context, tx, request));
      refuseDataLoss(plan, request);
      const done =
        plan.changes.length === 0 ? published(context, plan) : await prepareAndSwitch(context, publisher, plan);
      // The definition is published; a job cleans up what this could not.
      await cleanUp(context, publisher, applicationId).catch((error: unknown) =>
        reportUnsettled(context, applicationId, error),
      );
      return done;
    });
  } catch (error) {
    // On another connection, because this one may be what failed. The reply names the first error.
    if (isBegun) {
      await cleanUpAbandoned(context, applicationId).catch((left: unknown) =>
        reportUnsettled(context, applicationId, left),
      );
    }
    throw error;
  }
}

/** Runs while this publisher holds the lock of the application. */
async function prepareAndSwitch(context: OperatorContext, publisher: Publisher, plan: PublishPlan): Promise<Published> {
  const { stored, next } = plan;
  const reporter = reportProgress(context, next.id);
  // A node of an earlier version may have created the schema after this one had migrated all there were.
  if (stored) await ensureMigrated(context.database, stored);
  const generation = stored
    ? await prepareTables(context, publisher, { stored, next, reporter })
    : firstGeneration(context);
  reporter.begin('switching', null, 0);
  await retryOnLockTimeout((lockTimeoutMs) => {
    const switching = { plan, generation, reporter, lockTimeoutMs };
    return publisher.transaction((tx) => switchDefinition(context, tx, switching));
  });
  context.invalidate({ application: next.id });
  const { application, changes } = published(context, plan);
  const { id: applicationId, version } = application;
  context.observe({ event: 'application.published', applicationId, version, changes: changes.length });
  return { application, changes };
}

/** Differs from the generation of a removed application with the same identifier, whose definition a node may still hold. */
const firstGeneration = (context: OperatorContext): number => Math.floor(context.now()) % 1_000_000_000;

function published(context: OperatorContext, { stored, next, changes }: PublishPlan): Published {
  const url = applicationUrl(context.publicUrl(), next.id);
  const version = stored?.version ?? 0;
  return { application: applicationView(next, version + (changes.length > 0 ? 1 : 0), url), changes };
}
