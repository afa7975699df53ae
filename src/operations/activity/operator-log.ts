// Makes the activity entries of the operator's actions on an application.

import type { OperatorContext } from '../../context.ts';
import { activityEntry, type LogEntry, sceneOf } from '../../domain/activity/activity.ts';
import type { ActivityKind } from '../../wire/activity-kinds.ts';
import type { Definition } from '../../wire/publish-document.ts';

const OPERATOR = { id: 'operator', name: 'operator' };

/**
 * No entry when the application's activity log is off. `logged`: it was on before the action, which may have switched it off.
 * What a named user did says who it was.
 */
export function operatorEntry(
  context: OperatorContext,
  kind: ActivityKind,
  { definition, version, logged = false }: { definition: Definition; version: number; logged?: boolean | undefined },
  extra: Readonly<Record<string, string>>,
): LogEntry[] {
  if (!definition.activityLogEnabled && !logged) return [];
  const scene = sceneOf({ application: { definition, version }, user: OPERATOR, source: context.source });
  return [activityEntry(context.ids.uuid(), kind, { scene, extra: { ...extra, ...whoOf(context) } })];
}

const whoOf = ({ namedUser }: OperatorContext): Readonly<Record<string, string>> =>
  namedUser === undefined
    ? {}
    : { operatorId: `${namedUser.applicationId}/${namedUser.id}`, operatorName: namedUser.name };
