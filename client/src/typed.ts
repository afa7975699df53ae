// The types of an application's records, from its collections and columns as `cartulary types` writes them. Nothing here
// exists at run time.

import type { CallOptions } from './operation-types.ts';
import type { AttachmentMetadata, Location, SimpleTypeName, User } from './shapes.ts';

/** The sizes of thumbnails in pixels. */
export type ThumbnailSize = 64 | 128 | 256 | 512 | 1024;

/** A file that a record holds, or that was uploaded: what is known about it, and its bytes on request. */
export interface Attachment extends AttachmentMetadata {
  /** The bytes as they arrive. A connection that is cut is opened again where it ended. */
  stream(options?: CallOptions): ReadableStream<Uint8Array>;
  /** The bytes in memory, with their type. */
  blob(options?: CallOptions): Promise<Blob>;
  /** The bytes as text in UTF-8. */
  text(options?: CallOptions): Promise<string>;
  /** A WebP picture of an image, at most that wide and high. */
  thumbnail(size: ThumbnailSize, options?: CallOptions): Promise<Blob>;
}

/** A record of another collection, and a value of it as it was when the reply was made. */
export interface Reference<App, Name, Shown = PlainValue> {
  readonly collectionId: string;
  readonly columnId: string;
  readonly recordId: string;
  /** Absent where the record is gone or may not be read. */
  readonly recordHash?: string;
  /** Absent there too, and where the record has no such value. */
  readonly value?: Shown;
  /** The record itself, if `follow` asked for it and it is there. */
  readonly record?: RecordOf<App, Name>;
  /** Fetches the record. */
  get(options?: CallOptions): Promise<RecordOf<App, Name>>;
}

/** A reference to records of another collection, which shows a value of them. */
export interface ReferenceTo<Collection extends string, Shown extends 'String' | 'Number' | 'User'> {
  readonly collection: Collection;
  readonly shown: Shown;
}
type ObjectShape = { readonly [key: string]: SimpleTypeName };
/** A column's type: `'String'`, `{ City: 'String' }` for an Object, `'String'[]` for an Array, `ReferenceTo<…>`. */
export type Shape =
  | SimpleTypeName
  | ObjectShape
  | readonly (SimpleTypeName | ObjectShape)[]
  | ReferenceTo<string, 'String' | 'Number' | 'User'>
  | Anything;
export type Flag = 'unique' | 'sortable' | 'searchable';

/** A column: its type and its flags. */
export interface Column<ItsShape extends Shape, Flags extends Flag = never> {
  readonly shape: ItsShape;
  readonly flags: Flags;
}

declare const anything: unique symbol;
/** The shape of columns about which nothing is known. */
export interface Anything {
  readonly [anything]: true;
}
/** Without types of its own, an application may have any collections and columns. */
export interface AnyApplication {
  readonly [collection: string]: AnyColumns;
}
export interface AnyColumns {
  readonly [column: string]: Column<Anything, Flag>;
}

/** What every record has besides its values. The names are those of the search language. */
export interface Metadata {
  readonly $id: string;
  /** Changes exactly when the values change. */
  readonly $hash: string;
  /** When the values got their present hash. */
  readonly $timestamp: Date;
  readonly $createdAt: Date;
  readonly $createdBy: User;
  readonly $updatedAt: Date;
  readonly $updatedBy: User;
}

/** A value as records have it. */
export type PlainSimpleValue = string | number | boolean | Date | Location | User | Attachment;
export type PlainObject = { readonly [key: string]: PlainSimpleValue };
export type PlainValue =
  | PlainSimpleValue
  | PlainObject
  | readonly (PlainSimpleValue | PlainObject)[]
  | Reference<AnyApplication, string, PlainSimpleValue>;

interface SimpleRead {
  readonly String: string;
  readonly Number: number;
  readonly Boolean: boolean;
  readonly DateTime: Date;
  /** `YYYY-MM-DD`: a day has no time zone. */
  readonly Date: string;
  /** `hh:mm:ss` */
  readonly Time: string;
  readonly Location: Location;
  readonly User: User;
  readonly Attachment: Attachment;
}
/** A day or a time of day, written as the interface has it; a text of another form does not compile. */
type Day = `${number}-${number}-${number}`;
type TimeOfDay = `${number}:${number}:${number}`;
/** An object with an ID, or the ID itself. */
type ById = string | { readonly id: string };

interface SimpleWrite {
  readonly String: string;
  readonly Number: number;
  readonly Boolean: boolean;
  /** A text is RFC 3339 with an offset. */
  readonly DateTime: Date | string;
  readonly Date: Day;
  readonly Time: TimeOfDay;
  readonly Location: Location;
  readonly User: ById;
  readonly Attachment: ById;
}

/** What a value of the shape is in a record that was read. */
export type ReadValue<App, ItsShape> = ItsShape extends Anything
  ? PlainValue
  : ItsShape extends SimpleTypeName
    ? SimpleRead[ItsShape]
    : ItsShape extends readonly (infer Element)[]
      ? readonly ReadValue<App, Element>[]
      : ItsShape extends ReferenceTo<infer Name, infer Shown>
        ? Reference<App, Name, SimpleRead[Shown]>
        : { readonly [Key in keyof ItsShape]?: ReadValue<App, ItsShape[Key]> };

/** What may be given for a value of the shape. */
export type WriteValue<ItsShape> = ItsShape extends Anything
  ? unknown
  : ItsShape extends SimpleTypeName
    ? SimpleWrite[ItsShape]
    : ItsShape extends readonly (infer Element)[]
      ? readonly WriteValue<Element>[]
      : ItsShape extends ReferenceTo<string, 'String' | 'Number' | 'User'>
        ? string | { readonly $id: string } | { readonly recordId: string }
        : { readonly [Key in keyof ItsShape]?: WriteValue<ItsShape[Key]> | undefined };

type ShapeOf<TheColumn> = TheColumn extends Column<infer ItsShape, infer _Flags> ? ItsShape : never;
type FlagsOf<TheColumn> = TheColumn extends Column<infer _Shape, infer Flags> ? Flags : never;
type ColumnsOf<App, Name> = Name extends keyof App ? App[Name] : never;

/** The names of an application's collections. */
export type CollectionName<App> = keyof App & string;

/** A record of a collection as it is read: a column without a value is absent. */
export type RecordOf<App, Name> = Metadata & {
  readonly [Key in keyof ColumnsOf<App, Name>]?: ReadValue<App, ShapeOf<ColumnsOf<App, Name>[Key]>>;
};

/** The values of a new record. A column that is absent, undefined or null has no value. */
export type NewValuesOf<App, Name> = {
  readonly [Key in keyof ColumnsOf<App, Name>]?: WriteValue<ShapeOf<ColumnsOf<App, Name>[Key]>> | null | undefined;
};

/** Changes of a record: null removes the value, a column that is absent or undefined keeps it. */
export type ChangesOf<App, Name> = NewValuesOf<App, Name>;

/** A record of the collection with a flag that sets its columns apart. */
type WithFlag<Columns, Which extends Flag> = {
  [Key in keyof Columns]: Which extends FlagsOf<Columns[Key]> ? Key : never;
}[keyof Columns] &
  string;

/** Columns by which records can be upserted. */
export type UpsertKey<App, Name> = WithFlag<ColumnsOf<App, Name>, 'unique'> &
  WithFlag<ColumnsOf<App, Name>, 'searchable'>;

/** What lists can be sorted by. */
export type SortKey<App, Name> =
  | '$createdAt'
  | '$updatedAt'
  | '$createdBy'
  | '$updatedBy'
  | WithFlag<ColumnsOf<App, Name>, 'sortable'>;

/** Columns that refer to other records. */
export type ReferenceColumn<App, Name> = {
  [Key in keyof ColumnsOf<App, Name>]: ShapeOf<ColumnsOf<App, Name>[Key]> extends
    | ReferenceTo<string, 'String' | 'Number' | 'User'>
    | Anything
    ? Key
    : never;
}[keyof ColumnsOf<App, Name>] &
  string;

type WithShape<Columns, Which> = {
  [Key in keyof Columns]: ShapeOf<Columns[Key]> extends Which ? Key : never;
}[keyof Columns] &
  string;

/** Columns that can be summed up. */
export type NumberColumn<App, Name> = WithShape<ColumnsOf<App, Name>, 'Number' | Anything>;

/** What figures can be grouped by. */
export type GroupKey<App, Name> =
  | '$createdAt'
  | '$updatedAt'
  | '$createdBy'
  | '$updatedBy'
  | WithShape<ColumnsOf<App, Name>, 'String' | 'Number' | 'Boolean' | 'User' | 'Date' | 'DateTime' | Anything>;
