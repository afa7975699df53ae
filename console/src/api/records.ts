// Records of a collection: pages of a list, and single ones.

import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Page, readPage } from '../../../client/src/walking.ts';
import { clientOf, type ListRecords } from './client.ts';
import { releaseOrder } from './held-order.ts';
import { type ListQuery, quoted } from './list-query.ts';
import { newest } from './stored.ts';

export type { ListQuery } from './list-query.ts';

export const PAGE_SIZE = 100;

const METADATA = ['createdAt', 'updatedAt', 'createdBy', 'updatedBy'] as const;

const searchParameters = (search: string) => (search === '' ? {} : { search });

/** The parameters of the interface. Days in searches are those of the application's time zone. */
export function listParameters(collectionId: string, { search, sort, descending }: ListQuery): ListRecords {
  const sortKey = METADATA.find((key) => key === sort);
  return {
    collectionId,
    ...searchParameters(search),
    ...(sortKey === undefined ? { sortKey: 'column', sortColumnId: sort } : { sortKey }),
    sortOrder: descending ? 'descending' : 'ascending',
  };
}

export const listKey = (application: string, collection: string, query: ListQuery) =>
  [application, 'records', collection, query] as const;

/**
 * One page of a list. It continues after the page before it where that one is known, and skips otherwise: a jump into the
 * middle of a long list loads only what is looked at.
 */
export async function fetchPage(
  application: string,
  parameters: ListRecords,
  place: { readonly index: number; readonly after: string | undefined },
  signal: AbortSignal,
): Promise<Page> {
  const { index, after } = place;
  const where = after !== undefined ? { after } : index > 0 ? { skip: index * PAGE_SIZE } : {};
  const asked = { ...parameters, ...where, limit: PAGE_SIZE };
  const { records, ...page } = await readPage(clientOf(application).raw, asked, { signal });
  return { ...page, records: records.map(newest) };
}

/** After a change: every list of the collection may look different now. */
export function forgetLists(queries: QueryClient, application: string, collection: string): void {
  void refreshLists(queries, application, collection);
}

/** The same, and waits until what is in sight has been read again. */
export async function refreshLists(queries: QueryClient, application: string, collection: string): Promise<void> {
  releaseOrder(queries, application, collection);
  const kinds = ['records', 'count', 'figures'];
  await Promise.all(kinds.map((kind) => queries.invalidateQueries({ queryKey: [application, kind, collection] })));
}

/** Longer than that, a number is worth the server's time only if somebody asks for it. */
const COUNT_MS_MAX = 1_500;

/**
 * How many records a list has. Counting takes the server longer than a page, so nothing waits for it, and it is given up
 * after a moment unless somebody asked (`exact`).
 */
export const countQuery = (application: string, collectionId: string, { search }: ListQuery, exact = false) =>
  queryOptions({
    queryKey: [application, 'count', collectionId, search],
    queryFn: async ({ signal }) => {
      const { body } = await clientOf(application).raw.getFigures(
        { collectionId, ...searchParameters(search) },
        { signal: exact ? signal : AbortSignal.any([signal, AbortSignal.timeout(COUNT_MS_MAX)]) },
      );
      return body[0]?.count;
    },
    staleTime: 15_000,
  });

export const recordQuery = (application: string, collectionId: string, recordId: string) =>
  queryOptions({
    queryKey: [application, 'record', collectionId, recordId],
    queryFn: async ({ signal }) =>
      newest((await clientOf(application).raw.getRecord({ collectionId, recordId }, { signal })).body),
    staleTime: 10_000,
  });

/** Records of a collection by words, as many as somebody would read. */
export const wordsQuery = (application: string, collectionId: string, words: string, limit: number) =>
  queryOptions({
    queryKey: [application, 'records', collectionId, 'words', words, limit],
    queryFn: async ({ signal }) => {
      const search = words === '' ? {} : { search: words.split(/\s+/).map(quoted).join(' ') };
      return (await clientOf(application).raw.listRecords({ collectionId, ...search, limit }, { signal })).body;
    },
    staleTime: 30_000,
  });

const REFERABLE_MAX = 20;

/** What a reference can refer to. */
export const referableQuery = (application: string, collectionId: string, words: string) =>
  wordsQuery(application, collectionId, words, REFERABLE_MAX);

/** Those of them that a search finds, in the order of a column that can be sorted by. */
export const referableBy = (application: string, collectionId: string, search: string, sort: string | undefined) =>
  queryOptions({
    queryKey: [application, 'records', collectionId, 'referable', search, sort],
    queryFn: async ({ signal }) => {
      const list = { search, sort: sort ?? 'updatedAt', descending: sort === undefined };
      const parameters = { ...listParameters(collectionId, list), limit: REFERABLE_MAX };
      return (await clientOf(application).raw.listRecords(parameters, { signal })).body;
    },
    staleTime: 30_000,
  });

export const attachmentPath = (application: string, collection: string, attachment: string): string =>
  `/v1/${encodeURIComponent(application)}/collections/${encodeURIComponent(collection)}/attachments/${encodeURIComponent(attachment)}`;
