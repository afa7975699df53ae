// Records of a collection: pages of a list, and single ones.

import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Page, readPage } from '../../../client/src/walking.ts';
import { clientOf, type ListRecords } from './client.ts';

export const PAGE_SIZE = 100;

/** What decides which records are listed, and in which order. */
export interface ListQuery {
  readonly search: string;
  /** A column ID, `createdAt`, `updatedAt`, `createdBy` or `updatedBy`. */
  readonly sort: string;
  readonly descending: boolean;
}

const METADATA = ['createdAt', 'updatedAt', 'createdBy', 'updatedBy'] as const;

const searchParameters = (search: string) =>
  search === '' ? {} : { search, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone };

/** The parameters of the interface, in the time zone of the person who looks. */
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
  return await readPage(clientOf(application).raw, { ...parameters, ...where, limit: PAGE_SIZE }, { signal });
}

/** After a change: every list of the collection may look different now. */
export function forgetLists(queries: QueryClient, application: string, collection: string): void {
  for (const kind of ['records', 'count'])
    void queries.invalidateQueries({ queryKey: [application, kind, collection] });
}

/** How many records a list has. Counting takes the server longer than a page, so nothing waits for it. */
export const countQuery = (application: string, collectionId: string, { search }: ListQuery) =>
  queryOptions({
    queryKey: [application, 'count', collectionId, search],
    queryFn: async ({ signal }) => {
      const { body } = await clientOf(application).raw.getFigures(
        { collectionId, ...searchParameters(search) },
        { signal },
      );
      return body[0]?.count;
    },
    staleTime: 15_000,
  });

export const recordQuery = (application: string, collectionId: string, recordId: string) =>
  queryOptions({
    queryKey: [application, 'record', collectionId, recordId],
    queryFn: async ({ signal }) =>
      (await clientOf(application).raw.getRecord({ collectionId, recordId }, { signal })).body,
    staleTime: 10_000,
  });

/** More would not be read. */
const FOUND_MAX = 20;

/** Records of a collection by words: what a reference can refer to. */
export const referableQuery = (application: string, collectionId: string, words: string) =>
  queryOptions({
    queryKey: [application, 'records', collectionId, 'words', words],
    queryFn: async ({ signal }) => {
      const search = words === '' ? {} : { search: words.split(/\s+/).map(quoted).join(' ') };
      const parameters = { collectionId, ...search, limit: FOUND_MAX };
      return (await clientOf(application).raw.listRecords(parameters, { signal })).body;
    },
    staleTime: 30_000,
  });

/** As a term of the search language that stands for itself. */
const quoted = (word: string): string => `"${word.replaceAll(/["\\]/g, '\\$&')}"`;

export const attachmentPath = (application: string, collection: string, attachment: string): string =>
  `/v1/${encodeURIComponent(application)}/collections/${encodeURIComponent(collection)}/attachments/${encodeURIComponent(attachment)}`;
