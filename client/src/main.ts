// What the package `cartulary-client` exports.

export { BatchError, type Many, type ManyOptions, type Outcome } from './batches.ts';
export { type Client, createClient } from './client.ts';
export type { ChangeOptions, Collection, PageOptions, SearchOptions } from './collection.ts';
export { UnknownNameError } from './definition.ts';
export { type BatchProgress, CartularyError, ConnectionError, type ErrorCode, type ErrorParams } from './errors.ts';
export type { FigureOptions, Figures, GroupFigures } from './figures.ts';
export type { CreateOptions, DeleteOptions, Source, Target } from './many-records.ts';
export type {
  ActivityFilter,
  Bytes,
  CallOptions,
  ListRecords,
  OperationTypes,
  RawOperations,
  Reply,
} from './operation-types.ts';
export type { OperationName } from './operations.ts';
export type { ActivityEntry, Managed, Management, PeopleOptions, Sessions, Users } from './people.ts';
export type { Quota } from './quotas.ts';
export type * from './shapes.ts';
export type { ConnectionOptions } from './transport.ts';
export type {
  AnyApplication,
  Attachment,
  ChangesOf,
  CollectionName,
  Column,
  GroupKey,
  Metadata,
  NewValuesOf,
  NumberColumn,
  PlainValue,
  RecordOf,
  Reference,
  ReferenceTo,
  SortKey,
  ThumbnailSize,
  UpsertKey,
} from './typed.ts';
export type { FileSource, UploadOptions } from './uploads.ts';
