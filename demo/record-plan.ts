// A record of the demonstration before it is created: columns and users by name, other records by key. fill.ts replaces
// these with identifiers of the server.

import type {
  ArrayValue,
  AttachmentValue,
  ObjectValue,
  ReferenceTypeName,
  SimpleValue,
  UserValue,
} from '../src/wire/values.ts';

export interface PersonNamed {
  readonly type: 'User';
  readonly person: string;
}

export interface RecordNamed {
  readonly type: ReferenceTypeName;
  readonly key: string;
}

/** A picture that is drawn and uploaded first (pictures.ts). */
export interface PictureNamed {
  readonly type: 'Attachment';
  readonly fileName: string;
  readonly floors: number;
}

export type PlannedValue =
  | Exclude<SimpleValue, UserValue | AttachmentValue>
  | ObjectValue
  | ArrayValue
  | PersonNamed
  | PictureNamed
  | RecordNamed;

export interface PlannedRecord {
  /** Unique in the whole demonstration; references use it. */
  readonly key: string;
  /** The name of a person. */
  readonly creator: string;
  /** By the name of the column; undefined where the record has no value. */
  readonly values: Readonly<Record<string, PlannedValue | undefined>>;
}

export const text = (value: string) => ({ type: 'String' as const, value });
export const number = (value: number) => ({ type: 'Number' as const, value });
export const boolean = (value: boolean) => ({ type: 'Boolean' as const, value });
export const instant = (ms: number) => ({ type: 'DateTime' as const, value: new Date(ms).toISOString() });
export const date = (value: string) => ({ type: 'Date' as const, value });
export const time = (value: string) => ({ type: 'Time' as const, value });
export const person = (name: string): PersonNamed => ({ type: 'User', person: name });

/** Six decimals are a tenth of a metre, more than any phone knows. */
export const location = (latitude: number, longitude: number, altitude: number) => ({
  type: 'Location' as const,
  latitude: Number(latitude.toFixed(6)),
  longitude: Number(longitude.toFixed(6)),
  altitude,
});
