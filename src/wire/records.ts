// The bodies of the record operations. Unknown members are refused; domain/values checks the `values` of each column.

import type { Static } from 'typebox';
import { identifier } from './identifiers.ts';
import { Instant, Type } from './type.ts';
import { UserShort } from './users.ts';
import { OutgoingValue, RecordHash } from './values.ts';

export const RECORDS_MAX = 100;
/** The stored size of a record's values as JSON: twice the largest body. */
export const STORED_VALUES_BYTES_MAX = 2 * 1024 * 1024;

const strict = { additionalProperties: false } as const;
/** Of any kind: domain/values checks them by their columns, and tells what is wrong better than a schema does. */
export const NewValues = Type.Record(Type.String(), Type.Unknown());
export const ChangedValues = Type.Record(Type.String(), Type.Unknown());

export const NewRecord = Type.Object({ values: NewValues, creatorId: Type.Optional(identifier('userId')) }, strict);

const ignored = Type.Optional(Type.Unknown({ readOnly: true }));
/** Accepted in updates and ignored, so that a client can send back a record that it has read. */
const readOnly = {
  createdAt: ignored,
  createdBy: ignored,
  timestamp: ignored,
  hash: ignored,
  updatedAt: ignored,
  updatedBy: ignored,
};
const changes = { values: ChangedValues, replace: Type.Optional(Type.Boolean()) };

/** An `id` must be the one in the path. */
export const RecordUpdate = Type.Object({ ...changes, id: Type.Optional(identifier('recordId')), ...readOnly }, strict);
export const RecordUpdateWithId = Type.Object({ id: identifier('recordId'), ...changes, ...readOnly }, strict);

/** Refused where a record may be created: the server would not keep them. */
export const ASSIGNED_MEMBERS: ReadonlySet<string> = new Set(['id', ...Object.keys(readOnly)]);

export type NewRecord = Static<typeof NewRecord>;
export type RecordUpdate = Static<typeof RecordUpdate>;
export type RecordUpdateWithId = Static<typeof RecordUpdateWithId>;

/** A record as replies have it. A column without a value is absent. */
export const OutgoingRecord = Type.Object({
  id: identifier('recordId'),
  createdAt: Instant,
  createdBy: UserShort,
  timestamp: Instant,
  hash: RecordHash,
  updatedAt: Instant,
  updatedBy: UserShort,
  values: Type.Record(Type.String(), OutgoingValue),
});

export const DeletedCount = Type.Object({ deletedCount: Type.Integer() });
