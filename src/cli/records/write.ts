// Creates and changes records from words of the command line or a JSON file, and deletes them.

import { CartularyError } from '../../../client/src/errors.ts';
import type { CollectionDefinition, RawNewRecord, RawRecord } from '../../../client/src/shapes.ts';
import { shown } from '../../domain/definition/problems.ts';
import { RECORDS_MAX } from '../../wire/records.ts';
import { countOf } from '../commands/columns.ts';
import { readJsonFile } from '../commands/json-file.ts';
import { statusLine } from '../commands/status-line.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import { confirm, isAtTerminal } from '../prompts.ts';
import { Refusal, type RefusalParams } from '../refusals.ts';
import type { UserSession } from '../user-session.ts';
import { readAssignments, readPlain, type TypedValues } from './from-text.ts';
import { lookupsIn } from './lookups.ts';

/** Names columns where the server names them by their IDs. */
export async function withColumnNames<T>({ columns }: CollectionDefinition, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CartularyError)) throw error;
    const { code, status } = error;
    const params = error.params as RefusalParams & {
      columnId?: string;
      duplicatedValues?: readonly { columnId: string; value: unknown }[];
    };
    const nameOf = (id: string) => shown(columns.find((column) => column.id === id)?.name ?? id);
    const column = params.columnId === undefined ? {} : { column: nameOf(params.columnId) };
    const taken = params.duplicatedValues?.map((one) => ({ ...one, column: nameOf(one.columnId) }));
    throw new Refusal(code, { ...params, ...column, ...(taken === undefined ? {} : { taken }) }, status);
  }
}

interface WriteOptions {
  readonly file?: string;
}

/** The records that the words or the file describe, in batches that the interface takes. */
async function* newRecords(
  session: UserSession,
  collection: CollectionDefinition,
  words: readonly string[],
  { file }: WriteOptions,
): AsyncGenerator<{ body: RawNewRecord | RawNewRecord[] }> {
  const lookups = lookupsIn(session, collection);
  if (file === undefined) {
    yield { body: { values: withoutNulls(await readAssignments(collection, words, lookups)) } };
    return;
  }
  if (words.length > 0) throw usageFailure('Give values either in the command or by --file.');
  const content = await readJsonFile(file);
  if (!Array.isArray(content)) yield { body: { values: await valuesIn(collection, content, lookups) } };
  else {
    for (let from = 0; from < content.length; from += RECORDS_MAX) {
      const body: RawNewRecord[] = [];
      for (const element of content.slice(from, from + RECORDS_MAX)) {
        body.push({ values: await valuesIn(collection, element, lookups) });
      }
      yield { body };
    }
  }
}

const withoutNulls = (values: TypedValues): TypedValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/** `{"Title": "A"}`, or a record as the interface has it: `{"values": {…}}`. */
function valuesIn(
  collection: CollectionDefinition,
  content: unknown,
  lookups: ReturnType<typeof lookupsIn>,
): Promise<TypedValues> {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw usageFailure('The file should hold a JSON object with values by column names, or an array of such objects.');
  }
  const { values } = content as { values?: unknown };
  const isRecord =
    typeof values === 'object' && values !== null && !collection.columns.some(({ name }) => name === 'values');
  return readPlain(collection, (isRecord ? values : content) as Record<string, unknown>, lookups);
}

export async function createRecords(
  session: UserSession,
  collection: CollectionDefinition,
  words: readonly string[],
  options: WriteOptions,
): Promise<RawRecord[]> {
  const created: RawRecord[] = [];
  for await (const { body } of newRecords(session, collection, words, options)) {
    const sent = session.raw.createRecords({ collectionId: collection.id, body }).then((reply) => reply.body);
    try {
      created.push(...[await withColumnNames(collection, sent)].flat());
    } catch (error) {
      throw atRecord(error, created.length);
    }
  }
  return created;
}

/** Which record of a file was refused, and that those before it are there. */
function atRecord(error: unknown, before: number): unknown {
  const { recordIndex } = error instanceof Refusal ? error.params : {};
  if (!(error instanceof Refusal) || typeof recordIndex !== 'number') return error;
  const count = before + recordIndex;
  const there =
    count === 0
      ? 'Nothing was created'
      : `${countOf(count, 'record')} before it ${count === 1 ? 'was' : 'were'} created`;
  return new CommandFailure(`Record ${count + 1} was refused. ${error.message} ${there}.`, {
    cause: error,
    exit: error.exit,
  });
}

export async function updateRecord(
  session: UserSession,
  collection: CollectionDefinition,
  { recordId, words, file, replace }: WriteOptions & { recordId: string; words: readonly string[]; replace: boolean },
): Promise<RawRecord> {
  const lookups = lookupsIn(session, collection);
  if ((file === undefined) === (words.length === 0)) {
    throw usageFailure('Nothing to change; give values such as Title=text, or --file.');
  }
  let ifMatch: string | undefined;
  // What is written depends on what was read: a change that comes in between is not overwritten.
  const stored = async () => {
    const { body } = await session.raw.getRecord({ collectionId: collection.id, recordId });
    ifMatch = `"${body.hash}"`;
    return body.values;
  };
  const given =
    file === undefined
      ? await readAssignments(collection, words, lookups, stored)
      : await valuesIn(collection, await readJsonFile(file), lookups);
  const body = { values: replace ? withoutNulls(given) : given, replace };
  const sent = session.raw.updateRecord({ collectionId: collection.id, recordId, body, ifMatch });
  return (await withColumnNames(collection, sent)).body;
}

interface DeleteOptions {
  readonly search?: string | undefined;
  readonly timezone?: string | undefined;
  readonly yes?: true | undefined;
}

/** Few enough for one request's time, however large the records are. */
const DELETE_STEP = 5_000;
const LINE_MS = 10_000;

/** Everything that matches, in steps; what a failure interrupts stays deleted, and the same command goes on. */
export async function deleteMatching(
  { raw }: UserSession,
  collection: CollectionDefinition,
  { search, timezone, yes }: DeleteOptions,
): Promise<number> {
  const selected = { collectionId: collection.id, search, timezone };
  if (!yes) await requireYes(await howMany(raw.listRecords({ ...selected, limit: RECORDS_MAX })), collection, search);
  const progress = statusLine({ everyMs: LINE_MS, firstMs: LINE_MS });
  let deleted = 0;
  try {
    for (let step = DELETE_STEP; step === DELETE_STEP; ) {
      const { body } = await raw.deleteRecords({ ...selected, limit: DELETE_STEP });
      step = body?.deletedCount ?? 0;
      deleted += step;
      progress.show(`Deleted ${countOf(deleted, 'record')}`);
    }
  } finally {
    progress.clear();
  }
  return deleted;
}

const howMany = async (list: Promise<{ body: readonly unknown[] }>): Promise<string> => {
  const { length } = (await list).body;
  return length < RECORDS_MAX ? countOf(length, 'record') : `${RECORDS_MAX} records or more`;
};

async function requireYes(count: string, { name }: CollectionDefinition, search: string | undefined): Promise<void> {
  const which = search === undefined ? `all records of ${name}` : `what ${search} finds in ${name}`;
  if (!isAtTerminal()) throw usageFailure(`Nothing was deleted. Add --yes to delete ${which}: ${count}.`);
  if (!(await confirm(`Delete ${which}: ${count}?`))) throw usageFailure('Nothing was deleted.');
}
