// What collections share: the raw operations, the definition, and plain records made from raw ones.

import type { CollectionSchema, Definitions } from './definition.ts';
import { CartularyError } from './errors.ts';
import { AttachmentHandle } from './files.ts';
import type { CallOptions, RawOperations } from './operation-types.ts';
import type { RawRecord, RawReferenceValue } from './shapes.ts';
import type { PlainSimpleValue } from './typed.ts';
import { decodeRecord, type Handles, knowsAll, type PlainRecord } from './values.ts';

/** A search names at most 64 criteria. */
const FOLLOWED_MAX = 60;

export class Records {
  readonly raw: RawOperations;
  readonly definitions: Definitions;
  readonly #handles: Handles;

  constructor(raw: RawOperations, definitions: Definitions) {
    this.raw = raw;
    this.definitions = definitions;
    this.#handles = {
      attachment: (collectionId, metadata) => new AttachmentHandle(raw, collectionId, metadata),
      reference: (reference, value) => new ReferenceHandle(this, reference, value) as never,
    };
  }

  /** With the definition of now if they have columns that the schema does not know. */
  async plain(schema: CollectionSchema, records: readonly RawRecord[]): Promise<PlainRecord[]> {
    const isKnown = records.every((record) => knowsAll(schema, record));
    const current = isKnown ? schema : ((await this.definitions.newer(schema)) ?? schema);
    return records.map((record) => decodeRecord(record, current, this.#handles));
  }

  async get(collection: string, recordId: string, { signal }: CallOptions): Promise<PlainRecord> {
    return this.withSchema(collection, async (schema) => {
      const { body } = await this.raw.getRecord({ collectionId: schema.id, recordId }, { signal });
      return this.#one(schema, body);
    });
  }

  async #one(schema: CollectionSchema, record: RawRecord): Promise<PlainRecord> {
    return (await this.plain(schema, [record]))[0] as PlainRecord;
  }

  /** Does the work again if it was refused because the application has been published since: nothing was done then. */
  async withSchema<Result>(name: string, work: (schema: CollectionSchema) => Promise<Result>): Promise<Result> {
    const schema = await this.definitions.collection(name);
    try {
      return await work(schema);
    } catch (error) {
      if (!(error instanceof CartularyError) || !STALE.has(error.code)) throw error;
      const newer = await this.definitions.newer(schema);
      if (newer === undefined) throw error;
      return work(newer);
    }
  }

  /** Fetches the records that the columns refer to, each once, in a few requests for a whole page. */
  async follow(records: readonly PlainRecord[], columns: readonly string[], options: CallOptions): Promise<void> {
    const wanted = new Map<string, Map<string, ReferenceHandle[]>>();
    const references = records.flatMap((record) => columns.map((column) => record[column]));
    for (const reference of references) {
      // One that shows no hash is gone or may not be read.
      if (!(reference instanceof ReferenceHandle) || reference.recordHash === undefined) continue;
      const inCollection = wanted.get(reference.collectionId) ?? new Map<string, ReferenceHandle[]>();
      wanted.set(reference.collectionId, inCollection);
      inCollection.set(reference.recordId, [...(inCollection.get(reference.recordId) ?? []), reference]);
    }
    for (const [collectionId, byId] of wanted) {
      const ids = [...byId.keys()];
      for (let from = 0; from < ids.length; from += FOLLOWED_MAX) {
        for (const record of await this.#byIds(collectionId, ids.slice(from, from + FOLLOWED_MAX), options)) {
          for (const reference of byId.get(record.$id) ?? []) reference.record = record;
        }
      }
    }
  }

  async #byIds(collectionId: string, ids: readonly string[], { signal }: CallOptions): Promise<PlainRecord[]> {
    const schema = await this.definitions.collection(collectionId);
    const search = anyOfIds(ids);
    const { body } = await this.raw.listRecords({ collectionId, search, sortKey: 'createdAt' }, { signal });
    return this.plain(schema, body);
  }
}

/** Refusals that a definition from before a publishing can cause. */
const STALE: ReadonlySet<string> = new Set([
  'INVALID_VALUE',
  'INVALID_PARAMETER',
  'INVALID_UPSERT_KEY',
  'COLUMN_NOT_FOUND',
  'COLUMN_NOT_SORTABLE',
  'COLLECTION_NOT_FOUND',
]);

export const anyOfIds = (ids: readonly string[]): string => ids.map((id) => `$id=${id}`).join(' OR ');

class ReferenceHandle {
  readonly collectionId: string;
  readonly columnId: string;
  readonly recordId: string;
  declare readonly recordHash?: string;
  declare readonly value?: PlainSimpleValue;
  declare record?: PlainRecord;
  readonly #records: Records;

  constructor(records: Records, raw: RawReferenceValue, value: PlainSimpleValue | undefined) {
    this.collectionId = raw.collectionId;
    this.columnId = raw.columnId;
    this.recordId = raw.recordId;
    if (raw.recordHash !== undefined) this.recordHash = raw.recordHash;
    if (value !== undefined) this.value = value;
    this.#records = records;
  }

  get(options: CallOptions = {}): Promise<PlainRecord> {
    return this.#records.get(this.collectionId, this.recordId, options);
  }
}
