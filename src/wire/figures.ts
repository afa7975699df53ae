// Figures over the records of a collection: counts, sums and the like, for all records or for each group of them.

import type { Static } from 'typebox';
import { PATTERNS } from './identifiers.ts';
import { Type } from './type.ts';
import { UserShort } from './users.ts';

/** Figures of one request; each has a member of its own in every element of the reply. */
export const MEASURES_MAX = 20;
export const GROUPS_MAX = 1_000;

const columnId = PATTERNS.columnId.slice(1, -1);
const Measured = Type.Union([Type.Number(), Type.Null()]);

/** One group, or all records. A measure is named as it was asked for: `sum:c…`. */
export const RecordFigure = Type.Object(
  {
    group: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean(), UserShort, Type.Null()])),
    count: Type.Optional(Type.Integer()),
  },
  {
    patternProperties: { [`^(?:sum|average|minimum|maximum):${columnId}$`]: Measured },
    additionalProperties: false,
  },
);
export type RecordFigure = Static<typeof RecordFigure> & { [measure: string]: unknown };
