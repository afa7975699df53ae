// The values that a column has most often: counted by the server where that is cheap, else from the records that are
// already here.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Page } from '../../../client/src/walking.ts';
import { type ColumnDefinition, clientOf, type RawValue } from './client.ts';
import { countQuery } from './records.ts';

/** More are not counted for a suggestion. */
const COUNTED_MAX = 20_000;
const SUGGESTED_MAX = 50;

export interface FrequentValue {
  readonly text: string;
  /** Undefined where they were not counted. */
  readonly count: number | undefined;
}

/** `column`: undefined while no value is asked for. */
export function useFrequentValues(
  application: string,
  collectionId: string,
  column: ColumnDefinition | undefined,
): readonly FrequentValue[] {
  const queries = useQueryClient();
  const isCountable = column?.type === 'String' || column?.type === 'Number';
  const all = { search: '', sort: '', descending: false };
  const total = useQuery({ ...countQuery(application, collectionId, all), enabled: isCountable }).data;
  const counted = useQuery({
    queryKey: [application, 'values', collectionId, column?.id],
    queryFn: async ({ signal }) => {
      const parameters = { collectionId, groupBy: column?.id ?? '' };
      const { body } = await clientOf(application).raw.getFigures(parameters, { signal });
      return body
        .flatMap(({ group, count = 0 }) => textsOf(group).map((text) => ({ text, count })))
        .sort((a, b) => b.count - a.count)
        .slice(0, SUGGESTED_MAX);
    },
    enabled: isCountable && total !== undefined && total <= COUNTED_MAX,
    staleTime: 60_000,
  }).data;
  if (column === undefined) return [];
  if (isCountable && counted !== undefined) return counted;
  const pages = queries.getQueriesData<Page>({ queryKey: [application, 'records', collectionId] });
  const texts = pages.flatMap(([, page]) =>
    (page?.records ?? []).flatMap(({ values }) => textsIn(values[column.id])).slice(0, 1_000),
  );
  return [...new Set(texts)].slice(0, SUGGESTED_MAX).map((text) => ({ text, count: undefined }));
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  return typeof value === 'number' ? [String(value)] : [];
}

function textsIn(value: RawValue | undefined): string[] {
  switch (value?.type) {
    case 'String':
    case 'Number':
      return textsOf(value.value);
    case 'Attachment':
    case 'User':
      return textsOf(value.name);
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser':
      return textsIn(value.value);
    case 'Array':
      return value.value.flatMap(textsIn);
    default:
      return [];
  }
}
