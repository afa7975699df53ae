// Finds what cells name: people by e-mail address, name or ID, and referred records by the value of a column. A batch is
// looked up in few requests, and what was found is remembered.

import type { RawOperations } from '../../../client/src/operation-types.ts';
import type { ApplicationDefinition as Application, ColumnDefinition as Column } from '../../../client/src/shapes.ts';
import { BoundedMap } from '../../load/bounded-map.ts';
import { MovingFailure } from '../failure.ts';
import { type RowProblem, shownCell } from '../problems.ts';
import { isReference, type OpenValue } from '../values/cell-values.ts';

const REMEMBERED_MAX = 100_000;
const USERS_MAX = 100_000;
const PAGE = 100;
/** A query has at most 64 criteria and 4,096 characters. */
const CRITERIA_MAX = 50;
const QUERY_CHARACTERS_MAX = 4_000;

/** What was found, or why nothing was. */
type Found = { readonly id: string } | { readonly problem: RowProblem };

export interface BatchLookups {
  /** Completes the values; returns a problem for each that cannot be, by the value. */
  complete(open: readonly OpenValue[]): Promise<Map<OpenValue, RowProblem>>;
}

/** `by`: the columns that references are looked up by, other than the referred ones: by the ID of the reference column. */
export function makeLookups(
  raw: RawOperations,
  application: Pick<Application, 'collections'>,
  by: ReadonlyMap<string, Column>,
): BatchLookups {
  let users: Promise<Map<string, Found>> | undefined;
  const records = new Map<string, BoundedMap<string, Found>>();
  return {
    async complete(open) {
      const problems = new Map<OpenValue, RowProblem>();
      const people = open.filter(({ value }) => value.type === 'User');
      if (people.length > 0) {
        // A reading that failed is not kept: who asks again would wait for a server that is back.
        users ??= readUsers(raw).catch((error: unknown) => {
          users = undefined;
          throw error;
        });
        const known = await users;
        settle(people, 'id', ({ text }) => findUser(known, text), problems);
      }
      for (const [column, values] of byColumn(open.filter(({ column }) => isReference(column)))) {
        const known = records.get(column.id) ?? new BoundedMap<string, Found>(REMEMBERED_MAX);
        records.set(column.id, known);
        const target = targetOf(application, column, by.get(column.id));
        const texts = [...new Set(values.map(({ text }) => text))].filter((text) => known.get(text) === undefined);
        for (const some of inQueries(target.column, texts)) await findRecords(raw, target, some, known);
        settle(
          values,
          'recordId',
          ({ text }) => known.get(text) ?? { problem: { code: 'notFound', params: {} } },
          problems,
        );
      }
      return problems;
    },
  };
}

function settle(
  open: readonly OpenValue[],
  member: string,
  find: (one: OpenValue) => Found,
  problems: Map<OpenValue, RowProblem>,
): void {
  for (const one of open) {
    const found = find(one);
    if ('id' in found) one.value[member] = found.id;
    else problems.set(one, found.problem);
  }
}

function byColumn(open: readonly OpenValue[]): Map<Column, OpenValue[]> {
  const groups = new Map<Column, OpenValue[]>();
  for (const one of open) groups.set(one.column, [...(groups.get(one.column) ?? []), one]);
  return groups;
}

async function readUsers(raw: RawOperations): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  const add = (key: string, id: string) => {
    const other = found.get(key);
    const isOther = other !== undefined && !('id' in other && other.id === id);
    found.set(key, isOther ? { problem: { code: 'userAmbiguous', params: { cell: shownCell(key) } } } : { id });
  };
  for await (const { id, name } of pages((skip) => raw.listUsers({ skip, limit: PAGE }))) {
    add(id, id);
    add(name, id);
  }
  // E-mail addresses are shown only to people with management access.
  try {
    for await (const { id, email } of pages((skip) => raw.listManagementUsers({ skip, limit: PAGE }))) {
      if (email) add(email.toLowerCase(), id);
    }
  } catch (error) {
    if ((error as { status?: number }).status !== 403) throw error;
  }
  return found;
}

const findUser = (known: Map<string, Found>, text: string): Found =>
  known.get(text) ??
  known.get(text.trim().toLowerCase()) ?? {
    problem: {
      code: text.includes('@') ? 'addressUnknown' : 'userUnknown',
      params: { cell: shownCell(text) },
    },
  };

export async function* pages<T>(read: (skip: number) => Promise<{ readonly body: readonly T[] }>): AsyncGenerator<T> {
  for (let skip = 0; skip < USERS_MAX; skip += PAGE) {
    const { body } = await read(skip);
    yield* body;
    if (body.length < PAGE) return;
  }
  throw new MovingFailure('manyUsers', { count: USERS_MAX });
}

interface ReferenceTarget {
  readonly collectionId: string;
  readonly collectionName: string;
  readonly column: Column;
}

function targetOf(
  application: Pick<Application, 'collections'>,
  column: Column,
  by: Column | undefined,
): ReferenceTarget {
  if (!isReference(column)) throw new Error(`${column.id} is not a reference`);
  const { collectionId, columnId } = column.scheme;
  const collection = application.collections.find(({ id }) => id === collectionId);
  const referred = by ?? collection?.columns.find(({ id }) => id === columnId);
  if (collection === undefined || referred === undefined) throw new Error(`${column.id} refers to nothing`);
  if (!referred.searchable) {
    const params = { column: column.name, collection: collection.name, referred: referred.name };
    throw new MovingFailure('notSearchable', params);
  }
  return { collectionId, collectionName: collection.name, column: referred };
}

function* inQueries({ id, type }: Column, texts: readonly string[]): Generator<ReadonlyMap<string, string>> {
  let some = new Map<string, string>();
  let length = 0;
  for (const text of texts) {
    const isNumber = type === 'Number' || type === 'ReferenceNumber';
    if (isNumber && !Number.isFinite(Number(text))) continue;
    const criterion = isNumber ? `$${id}=${Number(text)}` : `$${id}="${text.replaceAll(/[\\"]/g, '\\$&')}"`;
    if (some.size === CRITERIA_MAX || length + criterion.length > QUERY_CHARACTERS_MAX) {
      yield some;
      [some, length] = [new Map(), 0];
    }
    some.set(text, criterion);
    length += criterion.length + 4;
  }
  if (some.size > 0) yield some;
}

async function findRecords(
  raw: RawOperations,
  { collectionId, collectionName, column }: ReferenceTarget,
  wanted: ReadonlyMap<string, string>,
  known: BoundedMap<string, Found>,
): Promise<void> {
  const ids = new Map<string, Set<string>>();
  const search = [...wanted.values()].join(' OR ');
  const { body } = await raw.listRecords({ collectionId, search, limit: PAGE });
  for (const { id, values } of body) {
    for (const key of keysOf(values[column.id])) ids.set(key, (ids.get(key) ?? new Set()).add(id));
  }
  // A full page may have left records out: each text then asks for itself.
  if (body.length === PAGE && wanted.size > 1) {
    for (const one of wanted) await findRecords(raw, { collectionId, collectionName, column }, new Map([one]), known);
    return;
  }
  for (const text of wanted.keys()) {
    const found = [...(ids.get(keyOf(column, text)) ?? [])];
    const params = { collection: collectionName, column: column.name, cell: shownCell(text) };
    const code = found.length === 0 ? 'recordUnknown' : 'recordAmbiguous';
    known.set(text, found.length === 1 ? { id: found[0] ?? '' } : { problem: { code, params } });
  }
}

const keyOf = ({ type }: Column, text: string): string =>
  type === 'Number' || type === 'ReferenceNumber' ? String(Number(text)) : text;

/** What a text in a file may be to name the record. */
function keysOf(given: unknown): string[] {
  const value = given as { type: string; value?: unknown; id?: string; name?: string } | undefined;
  if (value === undefined) return [];
  if (value.type === 'User') return [value.name ?? '', value.id ?? ''];
  if (value.type.startsWith('Reference')) return keysOf(value.value);
  return value.value === undefined ? [] : [String(value.value)];
}
