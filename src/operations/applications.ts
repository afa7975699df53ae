// Published applications: publish, list, show, remove. What a publishing does to the tables is in publishing.

import type { OperatorContext } from '../context.ts';
import { checkDocument } from '../domain/definition/check.ts';
import { type Change, diffDefinitions } from '../domain/definition/diff.ts';
import { resolveDocument } from '../domain/definition/resolve.ts';
import { applicationUrl, applicationView } from '../domain/definition/view.ts';
import { fault } from '../faults.ts';
import { getApplication, listApplications, putApplication, removeApplication } from '../store/applications.ts';
import type { PublishTransaction } from '../store/db.ts';
import { moveFence } from '../store/fence.ts';
import { announce } from '../store/hearing.ts';
import { dropApplicationSchema } from '../store/migrate.ts';
import { ensureOrganization } from '../store/organizations.ts';
import { countRecords, keepWritersOut, lockPublishing } from '../store/publishing.ts';
import { countUsers } from '../store/users.ts';
import type { Application } from '../wire/applications.ts';
import type { Definition, PublishDocument } from '../wire/publish-document.ts';
import { operatorEntry, writeEntries } from './operator-log.ts';
import { changeTables, createTables, prepareTables, refuseCollisions, tidyTables } from './publishing.ts';

export interface PublishInput {
  readonly document: unknown;
  readonly dryRun: boolean;
  readonly allowDataLoss: boolean;
}

export interface Published {
  readonly application: Application;
  readonly changes: readonly Change[];
}

interface Plan {
  readonly current: Definition | undefined;
  readonly next: Definition;
  /** The version that is published now; 0 for a new application. */
  readonly version: number;
  readonly changes: readonly Change[];
}

export async function publish(context: OperatorContext, input: PublishInput): Promise<Published> {
  const checked = checkDocument(input.document);
  if ('problems' in checked) throw fault('INVALID_DEFINITION', { problems: checked.problems });
  // Assigned once, before anything is written, so that every step below speaks of the same application.
  const document = { ...checked.document, id: checked.document.id ?? context.ids.long('p') };
  // Whatever can be refused is refused here, before anything is touched.
  const foreseen = await context.database.publish(document.id, (tx) => makePlan(context, tx, document));
  if (input.dryRun || foreseen.changes.length === 0) return published(context, foreseen);
  refuseDataLoss(foreseen, input);
  await addMissingProjections(context, document);
  try {
    const plan = await context.database.publish(document.id, async (tx) => {
      const made = await makePlan(context, tx, document, { writersWait: true });
      refuseDataLoss(made, input);
      if (made.changes.length > 0) await apply(context, tx, made);
      return made;
    });
    context.hear({ application: document.id });
    const { application, changes } = published(context, plan);
    const { id: applicationId, version } = application;
    context.observe({ event: 'application.published', applicationId, version, changes: changes.length });
    return { application, changes };
  } catch (error) {
    // What stopped the publishing is what its author is told; should this fail too, the next publishing does it.
    await removeOtherProjections(context, document.id).catch(() => undefined);
    throw error;
  }
}

function published(context: OperatorContext, { next, version, changes }: Plan): Published {
  const url = applicationUrl(context.publicUrl(), next.id);
  return { application: applicationView(next, version + (changes.length > 0 ? 1 : 0), url), changes };
}

function refuseDataLoss({ changes }: Plan, { allowDataLoss }: PublishInput): void {
  const losing = changes.filter((change) => change.losesData);
  if (losing.length > 0 && !allowDataLoss) throw fault('WOULD_LOSE_DATA', { changes: losing });
}

/** In a short transaction of its own: adding a column keeps readers out until the commit, and filling it takes long. */
async function addMissingProjections(
  context: OperatorContext,
  document: PublishDocument & { id: string },
): Promise<void> {
  await context.database.publish(document.id, async (tx) => {
    await lockPublishing(tx.system, document.id);
    const stored = await getApplication(tx.system, document.id);
    if (stored === undefined) return;
    const next = resolveDocument(document, stored.definition, context.ids);
    if (!('problems' in next)) await prepareTables(tx.application, stored.definition, next);
  });
}

/** After a publishing that was stopped: leaves the columns of the definition that still stands. */
async function removeOtherProjections(context: OperatorContext, applicationId: string): Promise<void> {
  await context.database.publish(applicationId, async (tx) => {
    await lockPublishing(tx.system, applicationId);
    const stored = await getApplication(tx.system, applicationId);
    if (stored !== undefined) await tidyTables(tx.application, stored.definition);
  });
}

async function makePlan(
  context: OperatorContext,
  tx: PublishTransaction,
  document: PublishDocument & { id: string },
  { writersWait } = { writersWait: false },
): Promise<Plan> {
  await lockPublishing(tx.system, document.id);
  const stored = await getApplication(tx.system, document.id);
  const current = stored?.definition;
  const next = resolveDocument(document, current, context.ids);
  if ('problems' in next) throw fault('INVALID_DEFINITION', { problems: next.problems });
  const changes: Change[] = [];
  for (const change of diffDefinitions(current, next)) changes.push(await counted(tx, change));
  if (current !== undefined && changes.length > 0) {
    await refuseModeChange(tx, current, next);
    await refuseCollisions(tx.application, current, next, { writersWait });
  }
  return { current, next, version: stored?.version ?? 0, changes };
}

async function counted(tx: PublishTransaction, change: Change): Promise<Change> {
  if (!change.losesData || change.collectionId === undefined) return change;
  return { ...change, records: await countRecords(tx.application, change.collectionId, change.columnId) };
}

/** Users of one kind cannot become users of the other, nor shared users of another organization. */
async function refuseModeChange(tx: PublishTransaction, current: Definition, next: Definition): Promise<void> {
  const switched = current.sharedUsersModeEnabled !== next.sharedUsersModeEnabled;
  const moved = current.sharedUsersModeEnabled && current.organization !== next.organization;
  if (!switched && !moved) return;
  await keepWritersOut(tx.application, 'users');
  const users = await countUsers(tx.application);
  if (users > 0) throw fault('MODE_HAS_USERS', { users });
}

async function apply(context: OperatorContext, tx: PublishTransaction, plan: Plan): Promise<void> {
  const { current, next } = plan;
  const version = plan.version + 1;
  const now = context.now();
  await ensureOrganization(tx.system, next.organization);
  if (current === undefined) await createTables(tx.application, next, version);
  else await changeTables(tx.application, current, next, { version: plan.version, now });
  await moveFence(tx.application, version);
  await putApplication(tx.system, next, version, new Date(now).toISOString());
  await writeEntries(tx.application, operatorEntry(context, 'application.publish', { definition: next, version }, {}));
  await announce(tx.system, { application: next.id });
}

export async function list(context: OperatorContext) {
  const applications = await listApplications(context.database.system);
  return applications.map(({ definition: { id, name, organization, plan }, version }) => ({
    id,
    name,
    version,
    organization,
    plan,
  }));
}

export async function show(context: OperatorContext, applicationId: string): Promise<Definition> {
  return (await existing(context, applicationId)).definition;
}

export async function existing(context: OperatorContext, applicationId: string) {
  const stored = await getApplication(context.database.system, applicationId);
  if (stored === undefined) throw fault('APPLICATION_NOT_FOUND', { applicationId });
  return stored;
}

export async function remove(context: OperatorContext, applicationId: string): Promise<void> {
  await context.database.publish(applicationId, async (tx) => {
    await lockPublishing(tx.system, applicationId);
    if (!(await removeApplication(tx.system, applicationId))) throw fault('APPLICATION_NOT_FOUND', { applicationId });
    await dropApplicationSchema(tx.application);
    await announce(tx.system, { application: applicationId });
  });
  context.hear({ application: applicationId });
}
