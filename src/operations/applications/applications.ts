// Published applications: publish, list, show, remove. What a publishing does to the tables before and behind the switch
// is in preparation, what it does at the switch in publishing.

import type { OperatorContext } from '../../context.ts';
import { checkDocument } from '../../domain/definition/check.ts';
import { type Change, diffDefinitions } from '../../domain/definition/diff.ts';
import { resolveDocument } from '../../domain/definition/resolve.ts';
import { applicationUrl, applicationView } from '../../domain/definition/view.ts';
import { widthProblems } from '../../domain/definition/width.ts';
import { fault } from '../../faults.ts';
import { beginMonths } from '../../store/activity/months.ts';
import {
  getApplication,
  listApplications,
  putApplication,
  removeApplication,
  type StoredApplication,
} from '../../store/applications/applications.ts';
import { noteErasure } from '../../store/applications/erasures.ts';
import { dropApplicationSchema } from '../../store/applications/migrate.ts';
import { ensureOrganization } from '../../store/applications/organizations.ts';
import {
  countRecords,
  getPublishing,
  givingWay,
  keepWritersOut,
  lockPublishing,
  putPublishing,
} from '../../store/applications/publishing.ts';
import type { JointTransaction, Publisher } from '../../store/database/handles.ts';
import { announce } from '../../store/nodes/hearing.ts';
import { countUsers } from '../../store/people/users.ts';
import { moveFence } from '../../store/records/fence.ts';
import type { Application } from '../../wire/applications.ts';
import type { Definition, PublishDocument } from '../../wire/publish-document.ts';
import { writeEntries } from '../activity/entries.ts';
import { operatorEntry } from '../activity/operator-log.ts';
import { note, prepare, settle, settleIfLeft } from './prepare.ts';
import { changeTables, createTables, refuseCollisions } from './publish.ts';
import { type Reporter, reportTo } from './publishing-progress.ts';

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
  readonly stored: StoredApplication | undefined;
  readonly next: Definition;
  readonly changes: readonly Change[];
}

type WithId = PublishDocument & { readonly id: string };

interface Publishing {
  readonly applicationId: string;
  /** What is to be published, given what is. */
  readonly document: (current: Definition | undefined) => WithId;
  readonly allowDataLoss: boolean;
}

export async function publish(context: OperatorContext, input: PublishInput): Promise<Published> {
  const checked = checkDocument(input.document);
  if ('problems' in checked) throw fault('INVALID_DEFINITION', { problems: checked.problems });
  // Assigned once, before anything is written, so that every step below speaks of the same application.
  const applicationId = checked.document.id ?? context.ids.long('p');
  const document = () => ({ ...checked.document, id: applicationId });
  const publishing = { applicationId, document, allowDataLoss: input.allowDataLoss };
  if (!input.dryRun) return publishAs(context, publishing);
  return published(context, await context.database.foresee(applicationId, (tx) => makePlan(context, tx, publishing)));
}

/** Publishes what is published with something changed, whatever others publish at the same time. */
export async function amend(
  context: OperatorContext,
  applicationId: string,
  change: (current: Definition) => PublishDocument,
): Promise<void> {
  const document = (current: Definition | undefined) => {
    if (current === undefined) throw fault('APPLICATION_NOT_FOUND', { applicationId });
    return { ...change(current), id: applicationId };
  };
  await existing(context, applicationId);
  await publishAs(context, { applicationId, document, allowDataLoss: false });
}

async function publishAs(context: OperatorContext, publishing: Publishing): Promise<Published> {
  const { applicationId } = publishing;
  try {
    return await context.database.publisher(applicationId, async (publisher) => {
      await lockPublishing(publisher, applicationId);
      await settle(context, publisher, applicationId);
      const present = await getApplication(publisher.system, applicationId);
      if (present) await note(context, publisher, { other: present.definition, step: 'checking' });
      // Whatever can be refused is refused here, before anything is touched.
      const plan = await publisher.transaction((tx) => makePlan(context, tx, publishing));
      refuseDataLoss(plan, publishing);
      const done = plan.changes.length === 0 ? published(context, plan) : await carryOut(context, publisher, plan);
      // It is published; what could not be cleared away is left to the next who looks (operations/applications/prepare).
      await settle(context, publisher, applicationId).catch((error: unknown) => {
        context.observe({ event: 'application.unsettled', applicationId, error });
      });
      return done;
    });
  } catch (error) {
    // What stopped the publishing is what its author is told. The connection may be what failed, hence another one.
    await settleIfLeft(context, applicationId).catch((left: unknown) => {
      context.observe({ event: 'application.unsettled', applicationId, error: left });
    });
    throw error;
  }
}

/** Prepares and switches, while nobody else publishes the application. */
async function carryOut(context: OperatorContext, publisher: Publisher, plan: Plan): Promise<Published> {
  const { stored, next } = plan;
  const reporter = reportTo(context, next.id);
  const generation = stored ? await prepare(context, publisher, { stored, next, reporter }) : firstGeneration(context);
  reporter.begin('switching', null, 0);
  await givingWay((waitMs) => {
    const switching = { plan, generation, reporter, waitMs };
    return publisher.transaction((tx) => apply(context, tx, switching));
  });
  context.hear({ application: next.id });
  const { application, changes } = published(context, plan);
  const { id: applicationId, version } = application;
  context.observe({ event: 'application.published', applicationId, version, changes: changes.length });
  return { application, changes };
}

/** Not that of an application which had the same identifier and was removed: a node may still know its definition. */
const firstGeneration = (context: OperatorContext): number => Math.floor(context.now()) % 1_000_000_000;

function published(context: OperatorContext, { stored, next, changes }: Plan): Published {
  const url = applicationUrl(context.publicUrl(), next.id);
  const version = stored?.version ?? 0;
  return { application: applicationView(next, version + (changes.length > 0 ? 1 : 0), url), changes };
}

function refuseDataLoss({ changes }: Plan, { allowDataLoss }: Publishing): void {
  const losing = changes.filter((change) => change.losesData);
  if (losing.length > 0 && !allowDataLoss) throw fault('WOULD_LOSE_DATA', { changes: losing });
}

async function makePlan(
  context: OperatorContext,
  tx: JointTransaction,
  { applicationId, document }: Pick<Publishing, 'applicationId' | 'document'>,
): Promise<Plan> {
  const stored = await getApplication(tx.system, applicationId);
  const current = stored?.definition;
  const next = resolveDocument(document(current), current, context.ids);
  if ('problems' in next) throw fault('INVALID_DEFINITION', { problems: next.problems });
  const tooWide = widthProblems(next);
  if (tooWide.length > 0) throw fault('INVALID_DEFINITION', { problems: tooWide });
  const changes: Change[] = [];
  for (const change of diffDefinitions(current, next)) changes.push(await counted(tx, change));
  if (current !== undefined && changes.length > 0) {
    await refuseModeChange(tx, { current, next });
    await refuseCollisions(tx.application, current, next);
  }
  return { stored, next, changes };
}

async function counted(tx: JointTransaction, change: Change): Promise<Change> {
  if (!change.losesData || change.collectionId === undefined) return change;
  return { ...change, records: await countRecords(tx.application, change.collectionId, change.columnId) };
}

/** Users of one kind cannot become users of the other, nor shared users of another organization. */
async function refuseModeChange(
  tx: JointTransaction,
  { current, next, waitMs }: { current: Definition; next: Definition; waitMs?: number },
): Promise<void> {
  const switched = current.sharedUsersModeEnabled !== next.sharedUsersModeEnabled;
  const moved = current.sharedUsersModeEnabled && current.organization !== next.organization;
  if (!switched && !moved) return;
  if (waitMs !== undefined) await keepWritersOut(tx.application, 'users', waitMs);
  const users = await countUsers(tx.application);
  if (users > 0) throw fault('MODE_HAS_USERS', { users });
}

interface Switching {
  readonly plan: Plan;
  /** The one that the preparation has left. */
  readonly generation: number;
  readonly reporter: Reporter;
  /** How long it may keep writers waiting while it waits for others of them. */
  readonly waitMs: number;
}

/** The switch. */
async function apply(
  context: OperatorContext,
  tx: JointTransaction,
  { plan: { stored, next }, generation, reporter, waitMs }: Switching,
): Promise<void> {
  const current = stored?.definition;
  const version = (stored?.version ?? 0) + 1;
  const now = context.now();
  await ensureOrganization(tx.system, next.organization);
  if (current === undefined) await createTables(tx.application, next, generation);
  else {
    await refuseModeChange(tx, { current, next, waitMs });
    await changeTables(tx.application, current, next, { generation, now, reporter, waitMs });
    if (next.activityLogEnabled && !current.activityLogEnabled) await beginMonths(tx.application, { now, waitMs });
    const startedAt = new Date(now);
    await putPublishing(tx.system, next.id, { other: current, switched: true, step: 'clearing', startedAt });
  }
  await moveFence(tx.application, generation + 1);
  await putApplication(
    tx.system,
    { definition: next, version, generation: generation + 1 },
    new Date(now).toISOString(),
  );
  const published = { definition: next, version, logged: current?.activityLogEnabled };
  await writeEntries(tx.application, operatorEntry(context, 'application.publish', published, {}));
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

/** null when nobody publishes the application. */
export async function showPublishing(context: OperatorContext, applicationId: string) {
  const { definition } = await existing(context, applicationId);
  const publishing = await getPublishing(context.database.system, applicationId);
  if (publishing === undefined) return { publishing: null };
  const { step, collectionId, done, total, startedAt, other } = publishing;
  const collections = [...definition.collections, ...other.collections];
  const collectionName = collections.find(({ id }) => id === collectionId)?.name ?? null;
  return { publishing: { step, collectionId, collectionName, done, total, startedAt: startedAt.toISOString() } };
}

export async function remove(context: OperatorContext, applicationId: string): Promise<void> {
  await context.database.publisher(applicationId, async (publisher) => {
    await lockPublishing(publisher, applicationId);
    await publisher.transaction(async (tx) => {
      if (!(await removeApplication(tx.system, applicationId))) throw fault('APPLICATION_NOT_FOUND', { applicationId });
      await dropApplicationSchema(tx.application);
      // Its attachments are removed behind it (operations/upkeep/erasure).
      await noteErasure(tx.system, applicationId, new Date(context.now()).toISOString());
      await announce(tx.system, { application: applicationId });
    });
  });
  context.hear({ application: applicationId });
}
