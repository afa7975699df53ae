// An entry of the activity log, as a line of its export.

import type { Static } from 'typebox';
import { identifier } from './identifiers.ts';
import { Instant, Type } from './type.ts';

export const ActivityEntry = Type.Object({
  date: Instant,
  type: Type.String(),
  subType: Type.String(),
  /** Of the operator both members are `operator`. */
  user: Type.Object({ id: Type.String(), name: Type.String() }),
  application: Type.Object({ id: identifier('applicationId'), name: Type.String(), version: Type.Integer() }),
  collection: Type.Optional(Type.Object({ id: identifier('collectionId'), name: Type.String() })),
  source: Type.Object({ context: Type.Enum(['api', 'console', 'operator']), ip: Type.String() }),
  extra: Type.Record(Type.String(), Type.String()),
});
export type ActivityEntry = Static<typeof ActivityEntry>;

/** How often something was done on one day. */
export const ActivityFigure = Type.Object({
  day: Type.String({ examples: ['2026-11-15'] }),
  type: Type.String(),
  subType: Type.String(),
  count: Type.Integer(),
});
export type ActivityFigure = Static<typeof ActivityFigure>;
