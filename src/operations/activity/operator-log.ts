// Makes the activity entries of the operator's actions on an application.

import type { OperatorContext } from '../../context.ts';
import { type ActivityKind, activityEntry, type LogEntry, sceneOf } from '../../domain/activity/activity.ts';
import type { Definition } from '../../wire/publish-document.ts';

const OPERATOR = { id: 'operator', name: 'operator' };

/** No entry when the application's activity log is off. `logged`: it was on before the action, which may have switched it off. */
export function operatorEntry(
  context: OperatorContext,
  kind: ActivityKind,
  { definition, version, logged = false }: { definition: Definition; version: number; logged?: boolean | undefined },
  extra: Readonly<Record<string, string>>,
): LogEntry[] {
  if (!definition.activityLogEnabled && !logged) return [];
  const scene = sceneOf({ application: { definition, version }, user: OPERATOR, source: context.source });
  return [activityEntry(context.ids.uuid(), kind, { scene, extra })];
}
