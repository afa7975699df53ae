// What applications hold and how much they are used, as the operator sees it.

import type { Static } from 'typebox';
import { identifier } from './identifiers.ts';
import { Instant, Type } from './type.ts';

const Size = Type.Object({
  records: Type.Integer(),
  /** False: an estimate of the database. */
  recordsExact: Type.Boolean(),
  /** Tables and indexes; null if the database does not tell. */
  databaseBytes: Type.Union([Type.Null(), Type.Integer()]),
  attachments: Type.Integer(),
  attachmentBytes: Type.Integer(),
  measuredAt: Instant,
});
export type Size = Static<typeof Size>;

const Counts = {
  requests: Type.Integer(),
  /** With a status from 400 to 499. */
  refused: Type.Integer(),
  /** With a status from 500. */
  failed: Type.Integer(),
};

/** `counts`: of the last 24 hours. */
export const UseOverview = Type.Array(
  Type.Object({
    applicationId: identifier('applicationId'),
    size: Type.Union([Type.Null(), Size]),
    ...Counts,
  }),
);
export type UseOverview = Static<typeof UseOverview>;

/** `hours`: those with requests, the oldest first. */
export const UseView = Type.Object({
  size: Size,
  since: Instant,
  hours: Type.Array(Type.Object({ hour: Instant, ...Counts })),
});
export type UseView = Static<typeof UseView>;

export const USE_DAYS = 30;
