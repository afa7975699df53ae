// A collection by its name: records with plain values, one or many, and files.

import type { Many, ManyOptions } from './batches.ts';
import type { CollectionSchema } from './definition.ts';
import { CartularyError } from './errors.ts';
import { type FigureOptions, type Figures, readFigures } from './figures.ts';
import { AttachmentHandle } from './files.ts';
import {
  type CreateOptions,
  createMany,
  type DeleteOptions,
  deleteByIds,
  deleteMatching,
  idOf,
  newRecord,
  type Source,
  type Target,
  updateMany,
  upsertMany,
} from './many-records.ts';
import type { CallOptions, ListRecords } from './operation-types.ts';
import type { Records } from './records.ts';
import type { AttachmentMetadata, CollectionDefinition, RawRecord, RawRecordUpdate } from './shapes.ts';
import type {
  Attachment,
  ChangesOf,
  GroupKey,
  NewValuesOf,
  NumberColumn,
  RecordOf,
  ReferenceColumn,
  SortKey,
  UpsertKey,
} from './typed.ts';
import { type FileSource, resumeUpload, type UploadOptions, uploadFile } from './uploads.ts';
import { encodeValues } from './values.ts';
import { readPage, walkPages } from './walking.ts';

export interface SearchOptions<App, Name> extends CallOptions {
  /** Default `$createdAt`: then every record comes exactly once, whatever changes meanwhile. */
  readonly sort?: SortKey<App, Name> | undefined;
  /** Default `ascending`. */
  readonly order?: 'ascending' | 'descending' | undefined;
  /** The most records in all; by default every one that matches. */
  readonly limit?: number | undefined;
  /** Of dates in the search, such as `Europe/Berlin`; by default the application's. */
  readonly timezone?: string | undefined;
  /** Reference columns whose records are fetched along, into `record` of each reference. */
  readonly follow?: readonly ReferenceColumn<App, Name>[] | undefined;
}

export interface PageOptions<App, Name> extends SearchOptions<App, Name> {
  readonly search?: string | undefined;
  /** `after` of the page before. */
  readonly after?: string | undefined;
}

export interface ChangeOptions extends CallOptions {
  /**
   * Only if the values are still those of the record that was read: true takes the hash of the given record, or give one.
   * Otherwise `PRECONDITION_FAILED`.
   */
  readonly ifUnchanged?: true | string | undefined;
}

export class Collection<App, Name extends string> {
  /** As it was given: the name or the ID. */
  readonly name: Name;
  readonly #records: Records;

  constructor(records: Records, name: Name) {
    this.#records = records;
    this.name = name;
  }

  /** The collection's columns. */
  async definition(): Promise<CollectionDefinition> {
    return (await this.#records.definitions.collection(this.name)).definition;
  }

  /** The record, or `RECORD_NOT_FOUND`. */
  get(recordId: string, options: CallOptions = {}): Promise<RecordOf<App, Name>> {
    return this.#records.get(this.name, recordId, options) as Promise<RecordOf<App, Name>>;
  }

  /** The record, or undefined if there is none that the caller may read. */
  async find(recordId: string, options: CallOptions = {}): Promise<RecordOf<App, Name> | undefined> {
    try {
      return await this.get(recordId, options);
    } catch (error) {
      if (error instanceof CartularyError && error.is('RECORD_NOT_FOUND')) return undefined;
      throw error;
    }
  }

  /** The records that match, in any number: the next page is fetched when the loop gets there. */
  async *search(
    search?: string,
    options: SearchOptions<App, Name> = {},
  ): AsyncGenerator<RecordOf<App, Name>, void, undefined> {
    const schema = await this.#schema();
    const input = this.#listing(schema, { ...options, search });
    for await (const page of walkPages(this.#records.raw, input, { signal: options.signal })) {
      yield* await this.#read(schema, page, options);
    }
  }

  /** The first record that matches, if any. */
  async first(search?: string, options: SearchOptions<App, Name> = {}): Promise<RecordOf<App, Name> | undefined> {
    const { records } = await this.page({ ...options, search, limit: 1 });
    return records[0];
  }

  /** One page of at most 100 records, and where the next one begins. */
  page(
    options: PageOptions<App, Name> = {},
  ): Promise<{ readonly records: readonly RecordOf<App, Name>[]; readonly after: string | undefined }> {
    return this.#records.withSchema(this.name, async (schema) => {
      const input = { ...this.#listing(schema, options), after: options.after };
      const { records, after } = await readPage(this.#records.raw, input, { signal: options.signal });
      return { records: await this.#read(schema, records, options), after };
    });
  }

  /** How many records match. */
  async count(search?: string, options: DeleteOptions = {}): Promise<number> {
    const { groups } = await this.figures({ ...options, search });
    return groups[0]?.count ?? 0;
  }

  /** Counts, sums and the like over the records that match, for all of them or in groups. */
  figures<Measured extends NumberColumn<App, Name> = never>(
    options: FigureOptions<GroupKey<App, Name>, Measured> = {},
  ): Promise<Figures<Measured>> {
    return this.#records.withSchema(this.name, (schema) => readFigures(this.#records.raw, schema, options));
  }

  create(values: NewValuesOf<App, Name>, options: CreateOptions = {}): Promise<RecordOf<App, Name>> {
    return this.#write(async (schema) => {
      const body = newRecord(values, schema, 'new', options.creatorId);
      return (await this.#records.raw.createRecords({ collectionId: schema.id, body }, options)).body;
    });
  }

  /** Changes the given columns and keeps the others. */
  update(target: Target, changes: ChangesOf<App, Name>, options: ChangeOptions = {}): Promise<RecordOf<App, Name>> {
    return this.#put(
      target,
      (schema) => ({ values: encodeValues(changes, schema, 'changes'), replace: false }),
      options,
    );
  }

  /** Replaces all values: a column that is not given loses its value. */
  replace(target: Target, values: NewValuesOf<App, Name>, options: ChangeOptions = {}): Promise<RecordOf<App, Name>> {
    return this.#put(target, (schema) => ({ values: withoutNulls(encodeValues(values, schema, 'changes')) }), options);
  }

  /** Updates the record that has the value in the key column, or creates it. */
  upsert(
    key: UpsertKey<App, Name>,
    values: ChangesOf<App, Name>,
    options: CreateOptions = {},
  ): Promise<RecordOf<App, Name>> {
    return this.#write(async (schema) => {
      const body = newRecord(values, schema, 'changes', options.creatorId);
      const upsertKeyColumnId = schema.column(key).id;
      return (await this.#records.raw.upsertRecords({ collectionId: schema.id, upsertKeyColumnId, body }, options))
        .body;
    });
  }

  async delete(target: Target, options: ChangeOptions = {}): Promise<void> {
    const { id: collectionId } = await this.#schema();
    const ifMatch = ifMatchOf(target, options);
    try {
      await this.#records.raw.deleteRecord({ collectionId, recordId: idOf(target), ifMatch }, options);
    } catch (error) {
      // An earlier attempt whose reply was lost has deleted it.
      const isGone = error instanceof CartularyError && error.is('RECORD_NOT_FOUND') && error.attempts > 1;
      if (!isGone) throw error;
    }
  }

  /** Creates any number of records. */
  createMany(
    source: Source<NewValuesOf<App, Name>>,
    options: ManyOptions & CreateOptions = {},
  ): Many<RecordOf<App, Name>> {
    return createMany(this.#records, this.name, source, options) as Many<RecordOf<App, Name>>;
  }

  /** Changes any number of records, each as `update` does. `$id` tells which, so that records can be changed as they come. */
  updateMany(
    source: Source<{ readonly $id: string } & ChangesOf<App, Name>>,
    options: ManyOptions = {},
  ): Many<RecordOf<App, Name>> {
    return updateMany(this.#records, this.name, source, options) as Many<RecordOf<App, Name>>;
  }

  /** Upserts any number of records, each as `upsert` does. */
  upsertMany(
    key: UpsertKey<App, Name>,
    source: Source<ChangesOf<App, Name>>,
    options: ManyOptions & CreateOptions = {},
  ): Many<RecordOf<App, Name>> {
    return upsertMany(this.#records, this.name, key, source, options) as Many<RecordOf<App, Name>>;
  }

  /** Deletes records by their IDs, and counts those that were there and that the caller may write. */
  deleteMany(source: Source<Target>, options: CallOptions = {}): Promise<number> {
    return deleteByIds(this.#records, this.name, source, options);
  }

  /** Deletes the records that match, and counts them. */
  deleteWhere(search: string, options: DeleteOptions = {}): Promise<number> {
    if (search.trim() === '')
      throw new TypeError('deleteWhere needs a search. To delete everything: deleteEverything().');
    return deleteMatching(this.#records, this.name, search, options);
  }

  /** Deletes every record that the caller may write, and counts them. */
  deleteEverything(options: CallOptions = {}): Promise<number> {
    return deleteMatching(this.#records, this.name, undefined, options);
  }

  /** Uploads a file. A record holds it once the handle is one of its values. */
  async upload(source: FileSource, options: UploadOptions = {}): Promise<Attachment> {
    const { id } = await this.#schema();
    return this.#attachment(id, await uploadFile(this.#records.raw, id, source, options));
  }

  /** Continues the upload of a large file that `upload` began (see `onAnnounced`). */
  async resumeUpload(attachmentId: string, file: Blob, options: UploadOptions = {}): Promise<Attachment> {
    const { id: collectionId } = await this.#schema();
    const metadata = await resumeUpload(this.#records.raw, { collectionId, attachmentId }, file, options);
    return this.#attachment(collectionId, metadata);
  }

  /** A file by what is known about it. */
  async attachment(metadata: AttachmentMetadata): Promise<Attachment> {
    return this.#attachment((await this.#schema()).id, metadata);
  }

  #attachment(collectionId: string, metadata: AttachmentMetadata): Attachment {
    return new AttachmentHandle(this.#records.raw, collectionId, metadata);
  }

  #schema(): Promise<CollectionSchema> {
    return this.#records.definitions.collection(this.name);
  }

  #listing(schema: CollectionSchema, options: PageOptions<App, Name>): ListRecords {
    const { search, sort = '$createdAt', order = 'ascending', limit, timezone } = options;
    const sorting = SORT_KEYS.get(sort);
    const by = sorting === undefined ? { sortColumnId: schema.column(sort).id } : {};
    return { collectionId: schema.id, search, sortKey: sorting ?? 'column', ...by, sortOrder: order, limit, timezone };
  }

  async #read(
    schema: CollectionSchema,
    page: readonly RawRecord[],
    { follow, signal }: SearchOptions<App, Name>,
  ): Promise<RecordOf<App, Name>[]> {
    const records = await this.#records.plain(schema, page);
    if (follow !== undefined) await this.#records.follow(records, follow, { signal });
    return records as unknown[] as RecordOf<App, Name>[];
  }

  #put(
    target: Target,
    body: (schema: CollectionSchema) => RawRecordUpdate,
    options: ChangeOptions,
  ): Promise<RecordOf<App, Name>> {
    const ifMatch = ifMatchOf(target, options);
    return this.#write(async (schema) => {
      const input = { collectionId: schema.id, recordId: idOf(target), ifMatch, body: body(schema) };
      return (await this.#records.raw.updateRecord(input, options)).body;
    });
  }

  #write(work: (schema: CollectionSchema) => Promise<RawRecord>): Promise<RecordOf<App, Name>> {
    return this.#records.withSchema(this.name, async (schema) => {
      const [record] = await this.#read(schema, [await work(schema)], {});
      return record as RecordOf<App, Name>;
    });
  }
}

const SORT_KEYS: ReadonlyMap<string, 'createdAt' | 'updatedAt' | 'createdBy' | 'updatedBy'> = new Map([
  ['$createdAt', 'createdAt'],
  ['$updatedAt', 'updatedAt'],
  ['$createdBy', 'createdBy'],
  ['$updatedBy', 'updatedBy'],
]);

function ifMatchOf(target: Target, { ifUnchanged }: ChangeOptions): string | undefined {
  const hash = ifUnchanged === true ? (target as { $hash?: string }).$hash : ifUnchanged;
  if (ifUnchanged === true && hash === undefined) {
    throw new TypeError('ifUnchanged: true needs a record that was read. With an ID, give the hash.');
  }
  return hash === undefined ? undefined : `"${hash}"`;
}

const withoutNulls = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
