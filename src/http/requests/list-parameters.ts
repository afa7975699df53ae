// Parses the query parameters of lists and of delete-many into the inputs of operations. A malformed parameter is refused with
// INVALID_PARAMETER and its name; whether a parameter fits the collection is checked by the operation.

import { isTimeZone } from '../../domain/dates/time-zones.ts';
import { SORT_KEYS, SORT_ORDERS } from '../../domain/records/list-order.ts';
import { fault } from '../../faults.ts';
import type { UserPage, UserSearch } from '../../operations/people/users.ts';
import type { ListInput, SearchInput } from '../../operations/records/lists.ts';
import { isIdentifier, PATTERNS } from '../../wire/identifiers.ts';
import type { Parameters, Query } from './query.ts';

export const LIST_LIMIT_MAX = 100;
export const DELETE_LIMIT_MAX = 100_000;

export const SEARCH_PARAMETERS = {
  search: { schema: { type: 'string' }, sentence: 'A query in the search language; all records without it.' },
  timezone: {
    schema: { type: 'string', examples: ['Asia/Tokyo'] },
    sentence: "The time zone of dates in the search, by its name in the tz database; the application's by default.",
  },
} as const satisfies Parameters;

const SKIP = { schema: { type: 'integer', minimum: 0, default: 0 }, sentence: 'How many to leave out.' };
const limitOf = (maximum: number, sentence: string) => ({
  schema: { type: 'integer', minimum: 1, maximum, default: maximum },
  sentence,
});

/** Those that the next page has as well. */
const CARRIED = {
  ...SEARCH_PARAMETERS,
  sortKey: {
    schema: { type: 'string', enum: SORT_KEYS, default: 'updatedAt' },
    sentence: 'What the order goes by.',
  },
  sortOrder: { schema: { type: 'string', enum: SORT_ORDERS, default: 'descending' }, sentence: 'Which way it goes.' },
  sortColumnId: {
    schema: { type: 'string', pattern: PATTERNS.columnId },
    sentence: 'The sortable column, if `sortKey` is `column`.',
  },
  limit: limitOf(LIST_LIMIT_MAX, 'The size of the page.'),
} as const satisfies Parameters;

export const LIST_PARAMETERS = {
  ...CARRIED,
  skip: SKIP,
  after: {
    schema: { type: 'string' },
    sentence: 'Where the page begins: as the `Link` header of the page before gives it, or the ID of its last record.',
  },
} as const satisfies Parameters;

export const DELETE_PARAMETERS = {
  ...SEARCH_PARAMETERS,
  limit: limitOf(DELETE_LIMIT_MAX, 'How many records to delete at most; the reply then tells how many it were.'),
} as const satisfies Parameters;

const invalid = (parameter: string, reason: string) => fault('INVALID_PARAMETER', { parameter, reason });

export function readSearchParameters({ search = '', timezone }: Query): SearchInput {
  if (timezone !== undefined && !isTimeZone(timezone)) {
    throw invalid('timezone', 'must be the name of a time zone of the tz database, such as Asia/Tokyo');
  }
  return { search, timezone };
}

/** An empty search could be a mistake that deletes the whole collection. A client that means that omits the parameter. */
export function readRemovalSearch(query: Query): SearchInput {
  if (query.search?.trim() === '') throw invalid('search', 'is empty; leave it out to delete all records');
  return readSearchParameters(query);
}

/** Digits only: no sign, no decimals, no white space. */
export function readWhole(
  query: Query,
  parameter: string,
  { minimum, maximum = Number.MAX_SAFE_INTEGER }: { minimum: number; maximum?: number },
): number | undefined {
  const text = query[parameter];
  if (text === undefined) return undefined;
  const number = Number(text);
  // Beyond the numbers that are exact there are no records either.
  const whole = maximum === Number.MAX_SAFE_INTEGER ? Math.min(number, maximum) : number;
  if (/^\d+$/.test(text) && whole >= minimum && whole <= maximum) return whole;
  const bounds = maximum === Number.MAX_SAFE_INTEGER ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`;
  throw invalid(parameter, `must be a whole number ${bounds}`);
}

function readChoice<const Names extends readonly string[]>(query: Query, parameter: string, names: Names) {
  const text = query[parameter];
  if (text === undefined || names.includes(text)) return text as Names[number] | undefined;
  throw invalid(parameter, `must be one of ${names.join(', ')}`);
}

export function readListParameters(query: Query): Omit<ListInput, 'collectionId'> {
  const skip = readWhole(query, 'skip', { minimum: 0 });
  const limit = readWhole(query, 'limit', { minimum: 1, maximum: LIST_LIMIT_MAX }) ?? LIST_LIMIT_MAX;
  const key = readChoice(query, 'sortKey', SORT_KEYS) ?? 'updatedAt';
  const descending = readChoice(query, 'sortOrder', SORT_ORDERS) !== 'ascending';
  if (query.after !== undefined && skip !== undefined) {
    throw invalid('after', 'cannot be given together with skip');
  }
  const sort = key === 'column' ? { key, descending, columnId: readSortColumn(query) } : { key, descending };
  return { sort, limit, skip: skip ?? 0, after: query.after, ...readSearchParameters(query) };
}

export const PAGE_PARAMETERS = {
  skip: SKIP,
  limit: limitOf(LIST_LIMIT_MAX, 'The size of the page.'),
} as const satisfies Parameters;

export function readPageParameters(query: Query): { readonly skip: number; readonly limit: number } {
  const skip = readWhole(query, 'skip', { minimum: 0 }) ?? 0;
  const limit = readWhole(query, 'limit', { minimum: 1, maximum: LIST_LIMIT_MAX }) ?? LIST_LIMIT_MAX;
  return { skip, limit };
}

/** Of a list that is walked from its newest element on. */
export const WALK_PARAMETERS = {
  limit: limitOf(LIST_LIMIT_MAX, 'The size of the page.'),
  after: {
    schema: { type: 'string' },
    sentence: 'Where the page begins: as the `Link` header of the page before gives it.',
  },
} as const satisfies Parameters;

export const readWalkLimit = (query: Query): number =>
  readWhole(query, 'limit', { minimum: 1, maximum: LIST_LIMIT_MAX }) ?? LIST_LIMIT_MAX;

/** Keys are UUIDs. */
const POSITION = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function readWalkPosition({ after }: Query): string | undefined {
  if (after === undefined || POSITION.test(after)) return after;
  throw invalid('after', 'must be the position that the Link header of a page gives');
}

const PART = { schema: { type: 'string' }, sentence: 'A part of what is searched; all users without it.' };
export const USER_LIST_PARAMETERS = { search: PART, ...PAGE_PARAMETERS } as const satisfies Parameters;
/** The operator also searches the name or the e-mail address alone. */
export const USER_SEARCH_PARAMETERS = {
  ...USER_LIST_PARAMETERS,
  name: PART,
  email: PART,
} as const satisfies Parameters;

/** The parameters of lists of users, whose search is plain text. */
export const readUserPage = (query: Query): UserPage => ({
  search: readPlainText(query, 'search'),
  ...readPageParameters(query),
});

export const readUserSearch = (query: Query): UserSearch => ({
  ...readUserPage(query),
  name: readPlainText(query, 'name'),
  email: readPlainText(query, 'email'),
});

function readPlainText(query: Query, parameter: string): string {
  const text = query[parameter] ?? '';
  if (text.includes('\0')) throw invalid(parameter, 'must not hold U+0000');
  return text;
}

function readSortColumn({ sortColumnId }: Query): string {
  if (sortColumnId === undefined) throw invalid('sortColumnId', 'is required when sortKey is column');
  if (isIdentifier('columnId', sortColumnId)) return sortColumnId;
  throw invalid('sortColumnId', `must be the identifier of a column, of the form ${PATTERNS.columnId}`);
}

/** Clients and proxies refuse replies with longer headers. A client with such a long query continues after the last record's ID. */
const LINK_MAX = 8_000;

/** A link to the same list after the position; undefined if it does not fit into a header. */
export function nextLink(
  address: string,
  query: Query,
  position: string,
  carried: Parameters = CARRIED,
): string | undefined {
  const next = new URLSearchParams();
  for (const name of Object.keys(carried)) if (query[name] !== undefined) next.set(name, query[name]);
  next.set('after', position);
  const link = `<${address}?${next.toString()}>; rel="next"`;
  return link.length > LINK_MAX ? undefined : link;
}
