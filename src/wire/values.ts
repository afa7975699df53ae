// The JSON of typed values: the fourteen value types and their members. The rules of each type (accepted and stored forms)
// are in domain/values, one file per type.

import type { TSchema } from 'typebox';
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

const closed = { additionalProperties: false } as const;
const Latitude = Type.Number({ minimum: -90, maximum: 90 });
const Longitude = Type.Number({ minimum: -180, maximum: 180 });
const Day = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', examples: ['2026-01-31'] });
const TimeOfDay = Type.String({ pattern: '^\\d\\d:\\d\\d:\\d\\d$', examples: ['09:30:00'] });

/** The simple values that requests and replies write alike. */
const SAME = {
  String: Type.Object({ type: Type.Literal('String'), value: Type.String() }, closed),
  Number: Type.Object({ type: Type.Literal('Number'), value: Type.Number() }, closed),
  Boolean: Type.Object({ type: Type.Literal('Boolean'), value: Type.Boolean() }, closed),
  Date: Type.Object({ type: Type.Literal('Date'), value: Day }, closed),
  Time: Type.Object({ type: Type.Literal('Time'), value: TimeOfDay }, closed),
  Location: Type.Object(
    {
      type: Type.Literal('Location'),
      latitude: Latitude,
      longitude: Longitude,
      altitude: Type.Optional(Type.Number()),
    },
    closed,
  ),
};

const OUTGOING_SIMPLE = {
  ...SAME,
  DateTime: Type.Object({ type: Type.Literal('DateTime'), value: Instant }, closed),
  User: Type.Object({ type: Type.Literal('User'), id: identifier('userId'), name: Type.String() }, closed),
  Attachment: Type.Object(
    {
      type: Type.Literal('Attachment'),
      id: identifier('attachmentId'),
      name: Type.String(),
      contentType: Type.String(),
      size: Type.Integer(),
    },
    closed,
  ),
};

/** What the server fills in may be sent along, so that a value that was read can be sent back. */
const INCOMING_SIMPLE = {
  ...SAME,
  DateTime: Type.Object(
    {
      type: Type.Literal('DateTime'),
      value: Type.Union([
        Type.String({ examples: ['2026-01-31T09:30:00.000Z'], description: 'RFC 3339, with Z or an offset.' }),
        Type.Number({ description: 'POSIX time in seconds.' }),
      ]),
    },
    closed,
  ),
  User: Type.Object(
    { type: Type.Literal('User'), id: identifier('userId'), name: Type.Optional(Type.String()) },
    closed,
  ),
  Attachment: Type.Object(
    {
      type: Type.Literal('Attachment'),
      id: identifier('attachmentId'),
      name: Type.Optional(Type.String()),
      contentType: Type.Optional(Type.String()),
      size: Type.Optional(Type.Integer()),
    },
    closed,
  ),
};

/** What a reference resolves to is added while the reply is made; `value` is absent where the record has no such value. */
const referenceTo = <const Name extends ReferenceTypeName>(type: Name, value: TSchema) =>
  Type.Object(
    {
      type: Type.Literal(type),
      collectionId: identifier('collectionId'),
      columnId: identifier('columnId'),
      recordId: identifier('recordId'),
      recordHash: Type.Optional(RecordHash),
      value: Type.Optional(value),
    },
    closed,
  );

/** The values of a request or of a reply, by the names of their types. */
function valueShapes<Simple extends Record<SimpleTypeName, TSchema>>(simple: Simple) {
  const anySimple = Type.Union(Object.values(simple));
  const ObjectShape = Type.Object(
    { type: Type.Literal('Object'), value: Type.Record(Type.String(), anySimple) },
    closed,
  );
  return {
    ...simple,
    Object: ObjectShape,
    Array: Type.Object(
      { type: Type.Literal('Array'), value: Type.Array(Type.Union([...Object.values(simple), ObjectShape])) },
      closed,
    ),
    ReferenceString: referenceTo('ReferenceString', simple.String),
    ReferenceNumber: referenceTo('ReferenceNumber', simple.Number),
    ReferenceUser: referenceTo('ReferenceUser', simple.User),
  };
}

export const OUTGOING_VALUES = valueShapes(OUTGOING_SIMPLE);
export const INCOMING_VALUES = valueShapes(INCOMING_SIMPLE);

/** A value as replies have it. */
export const OutgoingValue = Type.Union(Object.values(OUTGOING_VALUES));
/** A value as requests may have it. */
export const IncomingValue = Type.Union(Object.values(INCOMING_VALUES));
