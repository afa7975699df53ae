// Activity entries of what the operator does to an application.

import type { OperatorContext } from '../context.ts';
import { type ActivityKind, activityEntry, type LogEntry } from '../domain/activity.ts';
import { insertEntries } from '../store/activity.ts';
import type { Reader } from '../store/db.ts';
import type { Definition } from '../wire/publish-document.ts';

const OPERATOR = { id: 'operator', name: 'operator' };

/** None when the application does not log. */
export function operatorEntry(
  context: OperatorContext,
  kind: ActivityKind,
  { definition, version }: { definition: Definition; version: number },
  extra: Readonly<Record<string, string>>,
): LogEntry[] {
  if (!definition.activityLogEnabled) return [];
  const scene = {
    user: OPERATOR,
    application: { id: definition.id, name: definition.name, version },
    source: context.source,
  };
  return [activityEntry(context.ids.uuid(), kind, { scene, extra })];
}

export async function writeEntries(handle: Reader, entries: readonly LogEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const { text, params } = insertEntries(handle.schema, entries);
  await handle.rows(text, params);
}
