// The JSON of typed values: the fourteen value types and their members. The rules of each type (accepted and stored forms)
// are in domain/values, one file per type.

import { identifier } from './identifiers.ts';
import { Instant, Type } from './type.ts';

export const SIMPLE_TYPES = [
  'String',
  'Number',
  'Boolean',
  'DateTime',
  'Date',
  'Time',
  'Location',
  'User',
  'Attachment',
] as const;
export const REFERENCE_TYPES = ['ReferenceString', 'ReferenceNumber', 'ReferenceUser'] as const;
export const VALUE_TYPES = [...SIMPLE_TYPES, 'Object', 'Array', ...REFERENCE_TYPES] as const;

export type SimpleTypeName = (typeof SIMPLE_TYPES)[number];
export type ReferenceTypeName = (typeof REFERENCE_TYPES)[number];
export type ValueTypeName = (typeof VALUE_TYPES)[number];

export interface StringValue {
  type: 'String';
  value: string;
}
export interface NumberValue {
  type: 'Number';
  value: number;
}
export interface BooleanValue {
  type: 'Boolean';
  value: boolean;
}
/** In replies always `YYYY-MM-DDThh:mm:ss.sssZ`. */
export interface DateTimeValue {
  type: 'DateTime';
  value: string;
}
export interface DateValue {
  type: 'Date';
  value: string;
}
export interface TimeValue {
  type: 'Time';
  value: string;
}
export interface LocationValue {
  type: 'Location';
  latitude: number;
  longitude: number;
  altitude?: number;
}
export interface UserValue {
  type: 'User';
  id: string;
  name: string;
}
export interface AttachmentValue {
  type: 'Attachment';
  id: string;
  name: string;
  contentType: string;
  size: number;
}
/** As stored. Replies add `recordHash` and `value` from the current state of the referenced record. */
export interface ReferenceValue {
  type: ReferenceTypeName;
  collectionId: string;
  columnId: string;
  recordId: string;
}
export type SimpleValue =
  | StringValue
  | NumberValue
  | BooleanValue
  | DateTimeValue
  | DateValue
  | TimeValue
  | LocationValue
  | UserValue
  | AttachmentValue;
export interface ObjectValue {
  type: 'Object';
  value: Record<string, SimpleValue>;
}
export interface ArrayValue {
  type: 'Array';
  value: (SimpleValue | ObjectValue)[];
}
export type Value = SimpleValue | ObjectValue | ArrayValue | ReferenceValue;

/** A record's values as stored: a column without a value is absent. */
export type Values = Record<string, Value>;

export const RecordHash = Type.String({ pattern: '^[a-z0-9]{26}$' });

/** What a reference resolves to is added while the reply is made; absent where the record has no such value. */
const referenceTo = <const Name extends ReferenceTypeName>(type: Name) =>
  Type.Object({
    type: Type.Literal(type),
    collectionId: identifier('collectionId'),
    columnId: identifier('columnId'),
    recordId: identifier('recordId'),
    recordHash: Type.Optional(RecordHash),
    value: Type.Optional(Type.Unknown()),
  });

const OUTGOING_SIMPLE = [
  Type.Object({ type: Type.Literal('String'), value: Type.String() }),
  Type.Object({ type: Type.Literal('Number'), value: Type.Number() }),
  Type.Object({ type: Type.Literal('Boolean'), value: Type.Boolean() }),
  Type.Object({ type: Type.Literal('DateTime'), value: Instant }),
  Type.Object({ type: Type.Literal('Date'), value: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }) }),
  Type.Object({ type: Type.Literal('Time'), value: Type.String({ pattern: '^\\d\\d:\\d\\d' }) }),
  Type.Object({
    type: Type.Literal('Location'),
    latitude: Type.Number(),
    longitude: Type.Number(),
    altitude: Type.Optional(Type.Number()),
  }),
  Type.Object({ type: Type.Literal('User'), id: identifier('userId'), name: Type.String() }),
  Type.Object({
    type: Type.Literal('Attachment'),
    id: identifier('attachmentId'),
    name: Type.String(),
    contentType: Type.String(),
    size: Type.Integer(),
  }),
] as const;

const OutgoingObject = Type.Object({
  type: Type.Literal('Object'),
  value: Type.Record(Type.String(), Type.Union([...OUTGOING_SIMPLE])),
});

/** A value as replies have it. */
export const OutgoingValue = Type.Union([
  ...OUTGOING_SIMPLE,
  OutgoingObject,
  Type.Object({ type: Type.Literal('Array'), value: Type.Array(Type.Union([...OUTGOING_SIMPLE, OutgoingObject])) }),
  referenceTo('ReferenceString'),
  referenceTo('ReferenceNumber'),
  referenceTo('ReferenceUser'),
]);
