// Many records of a collection at once: how each kind of write is encoded and sent, and deletions that are repeated until
// nothing is left.

import { type Many, type ManyOptions, type Sending, sendMany } from './batches.ts';
import type { CollectionSchema } from './definition.ts';
import type { CallOptions } from './operation-types.ts';
import type { JsonText } from './raw.ts';
import { anyOfIds, type Records } from './records.ts';
import type { RawNewRecord, RawRecordUpdateWithId } from './shapes.ts';
import { encodeValues, type PlainRecord, type Purpose } from './values.ts';

/** What can be given in any number: an array, a generator, a stream. */
export type Source<Element> = AsyncIterable<Element> | Iterable<Element>;

/** A record that was read, or the ID of one. */
export type Target = string | { readonly $id: string };

export const idOf = (target: Target): string => (typeof target === 'string' ? target : target.$id);

export interface CreateOptions extends CallOptions {
  /** The user to record as the creator; admins only. */
  readonly creatorId?: string | undefined;
}

export interface DeleteOptions extends CallOptions {
  /** Of dates in the search, such as `Europe/Berlin`; by default the application's. */
  readonly timezone?: string | undefined;
}

/** More at once gains little: the server shares its time among its users. */
const CREATES_AT_ONCE = 4;
/** A request that deletes more may take longer than the server allows. */
const DELETED_AT_ONCE = 10_000;
/** A search has at most 64 criteria. */
const IDS_AT_ONCE = 60;

export function newRecord(
  values: object,
  schema: CollectionSchema,
  purpose: Purpose,
  creatorId: string | undefined,
): RawNewRecord {
  return { values: encodeValues(values, schema, purpose), ...(creatorId === undefined ? {} : { creatorId }) };
}

type Encode = (element: object, schema: CollectionSchema) => object;
type Send = (
  schema: CollectionSchema,
  body: JsonText,
  key: string | undefined,
) => ReturnType<Sending<never, never>['send']>;

function writeMany(
  records: Records,
  name: string,
  source: Source<object>,
  { encode, send }: { encode: Encode; send: Send },
  options: ManyOptions & { readonly concurrency: number },
): Many<PlainRecord> {
  const schema = () => records.definitions.collection(name);
  const sending: Sending<object, PlainRecord> = {
    encoder: async () => {
      const current = await schema();
      return (element) => JSON.stringify(encode(element, current));
    },
    send: async (body, key) => send(await schema(), body, key),
    decode: async (written) => records.plain(await schema(), written),
  };
  return sendMany(source, sending, options);
}

export function createMany(
  records: Records,
  name: string,
  source: Source<object>,
  options: ManyOptions & CreateOptions,
): Many<PlainRecord> {
  const { signal, creatorId } = options;
  const encode: Encode = (values, schema) => newRecord(values, schema, 'new', creatorId);
  const send: Send = async ({ id: collectionId }, text, idempotencyKey) => {
    const body = text as object as readonly RawNewRecord[];
    return (await records.raw.createRecords({ collectionId, body, idempotencyKey }, { signal })).body;
  };
  return writeMany(
    records,
    name,
    source,
    { encode, send },
    { ...options, concurrency: options.concurrency ?? CREATES_AT_ONCE },
  );
}

export function updateMany(
  records: Records,
  name: string,
  source: Source<{ readonly $id: string }>,
  options: ManyOptions,
): Many<PlainRecord> {
  const { signal } = options;
  const encode: Encode = (changes, schema) => ({
    id: (changes as { $id: string }).$id,
    values: encodeValues(changes, schema, 'changes'),
    replace: false,
  });
  const send: Send = async ({ id: collectionId }, text) => {
    const body = text as object as readonly RawRecordUpdateWithId[];
    return (await records.raw.updateRecords({ collectionId, body }, { signal })).body;
  };
  return writeMany(records, name, source, { encode, send }, { ...options, concurrency: options.concurrency ?? 1 });
}

export function upsertMany(
  records: Records,
  name: string,
  key: string,
  source: Source<object>,
  options: ManyOptions & CreateOptions,
): Many<PlainRecord> {
  const { signal, creatorId } = options;
  const encode: Encode = (values, schema) => newRecord(values, schema, 'changes', creatorId);
  const send: Send = async (schema, text) => {
    const body = text as object as readonly RawNewRecord[];
    const input = { collectionId: schema.id, upsertKeyColumnId: schema.column(key).id, body };
    return (await records.raw.upsertRecords(input, { signal })).body;
  };
  return writeMany(records, name, source, { encode, send }, { ...options, concurrency: options.concurrency ?? 1 });
}

/** In steps, until a step finds less than it may delete. */
export async function deleteMatching(
  records: Records,
  name: string,
  search: string | undefined,
  { signal, timezone }: DeleteOptions,
): Promise<number> {
  const { id: collectionId } = await records.definitions.collection(name);
  for (let deleted = 0; ; ) {
    const input = { collectionId, search, timezone, limit: DELETED_AT_ONCE };
    // Repeating a step deletes no more than was meant, since all that match are to go.
    const { body } = await records.raw.deleteRecords(input, { signal, repeat: 'always' });
    const count = body?.deletedCount ?? 0;
    deleted += count;
    if (count < DELETED_AT_ONCE) return deleted;
  }
}

export async function deleteByIds(
  records: Records,
  name: string,
  source: Source<Target>,
  { signal }: CallOptions,
): Promise<number> {
  const { id: collectionId } = await records.definitions.collection(name);
  let deleted = 0;
  let ids: string[] = [];
  const flush = async () => {
    const input = { collectionId, search: anyOfIds(ids), limit: ids.length };
    const { body } = await records.raw.deleteRecords(input, { signal, repeat: 'always' });
    deleted += body?.deletedCount ?? 0;
    ids = [];
  };
  for await (const target of source) {
    if (ids.push(idOf(target)) === IDS_AT_ONCE) await flush();
  }
  if (ids.length > 0) await flush();
  return deleted;
}
