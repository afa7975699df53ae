// Lists of any length, page by page: records by the position that a page's `Link` gives, people by counting.

import type { CallOptions, ListRecords, RawOperations, Reply } from './operation-types.ts';
import type { RawRecord } from './shapes.ts';

export const PAGE_MAX = 100;
/**
 * Beyond this a reply may leave its `Link` out, because the search in it would make the header too long. In UTF-16 units,
 * of which each may take nine characters of a header, which has 8,000 at most.
 */
const LINKED_SEARCH_MAX = 800;

export interface Page {
  readonly records: readonly RawRecord[];
  /** Where the next page begins; undefined at the end. */
  readonly after: string | undefined;
}

export async function readPage(raw: RawOperations, input: ListRecords, options: CallOptions): Promise<Page> {
  const { body, headers } = await raw.listRecords(input, options);
  return { records: body, after: positionAfter(headers, body, input) };
}

/** Where the page after this one of records begins; undefined at the end. */
export const positionAfter = (headers: Headers, records: readonly RawRecord[], input: ListRecords) =>
  nextPosition(headers) ?? unlinked(records, input);

/** Where the page after this one begins. Of the address only the position is used: a proxy may have given the server another name. */
export function nextPosition(headers: Headers): string | undefined {
  const address = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return address === undefined ? undefined : (new URL(address).searchParams.get('after') ?? undefined);
}

function unlinked(records: readonly RawRecord[], { search = '', limit = PAGE_MAX }: ListRecords): string | undefined {
  return search.length > LINKED_SEARCH_MAX && records.length === limit ? records.at(-1)?.id : undefined;
}

/** All pages, or as many as have `limit` records. The next page is fetched when it is asked for. */
export async function* walkPages(
  raw: RawOperations,
  { limit = Number.POSITIVE_INFINITY, ...input }: ListRecords,
  options: CallOptions,
): AsyncGenerator<readonly RawRecord[], void, undefined> {
  let left = limit;
  for (let after = input.after; left > 0; ) {
    const page = await readPage(raw, { ...input, limit: Math.min(PAGE_MAX, left), after }, options);
    yield page.records;
    left -= page.records.length;
    after = page.after;
    if (after === undefined) return;
  }
}

/** Lists of people have no positions; a person who is added or removed meanwhile may shift the rest by one. */
export async function* walkPeople<Person>(
  list: (input: { search?: string | undefined; skip: number; limit: number }) => Promise<Reply<readonly Person[]>>,
  search: string | undefined,
): AsyncGenerator<Person, void, undefined> {
  for (let skip = 0; ; skip += PAGE_MAX) {
    const { body } = await list({ search, skip, limit: PAGE_MAX });
    yield* body;
    if (body.length < PAGE_MAX) return;
  }
}
