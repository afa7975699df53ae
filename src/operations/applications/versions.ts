// The versions of an application that are kept: what each changed, and its document, with which the operator can go back.

import type { OperatorContext } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { fault } from '../../faults.ts';
import { getDefinition, listDefinitions } from '../../store/applications/published-definitions.ts';
import type { VersionSummary } from '../../wire/operator.ts';
import type { Definition } from '../../wire/publish-document.ts';
import { requireApplication } from './applications.ts';

/** The latest first. The current one is known even if it was published before versions were kept. */
export async function list(context: OperatorContext, applicationId: string): Promise<VersionSummary[]> {
  const { version, publishedAt } = await requireApplication(context, applicationId);
  // The application may be published between the two reads; what is newer than the first belongs to the next reply.
  const kept = (await listDefinitions(context.database.application(applicationId)))
    .filter((one) => one.version <= version)
    .map((one) => ({ ...one, publishedAt: isoTime(one.publishedAt.getTime()) }));
  if (kept[0]?.version === version) return kept;
  return [{ version, publishedAt: isoTime(publishedAt), changes: null }, ...kept];
}

/** The publish document of a version. Its identifier is that of the application, also after a restoration as another one. */
export async function show(context: OperatorContext, applicationId: string, version: number): Promise<Definition> {
  const stored = await requireApplication(context, applicationId);
  if (stored.version === version) return stored.definition;
  const definition = await getDefinition(context.database.application(applicationId), version);
  if (definition === undefined) throw fault('NOT_FOUND');
  return { ...definition, id: applicationId };
}
