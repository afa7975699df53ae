// The records that are meant when something is asked for all of them: their IDs and hashes at that moment. What matches
// later is not touched, and what somebody changes meanwhile is noticed.

import { anyOfIds } from '../../../client/src/records.ts';
import { walkPages } from '../../../client/src/walking.ts';
import { type CollectionDefinition, clientOf, type RawRecord } from '../api/client.ts';
import type { ListQuery } from '../api/list-query.ts';
import { listParameters } from '../api/records.ts';
import { titleOf } from '../record/title.ts';
import type { RecordSelection } from './record-selection.ts';

export interface Meant {
  readonly id: string;
  readonly hash: string;
  readonly title: string;
}

/** More are for a program: each is changed by a request of its own. */
export const MEANT_MAX = 20_000;
/** A search has at most 64 criteria. */
const IDS_AT_ONCE = 60;

interface Asked {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly query: ListQuery;
  readonly selection: RecordSelection;
}

/** Pages of the records that are meant, in the order of their creation: a change moves none of them within it. */
export async function* walkMeant(
  { application, collection, query, selection: { all, ids } }: Asked,
  signal: AbortSignal,
): AsyncGenerator<readonly RawRecord[], void, undefined> {
  const { raw } = clientOf(application);
  const inOrder = { sort: 'createdAt', descending: false };
  if (all) {
    for await (const page of walkPages(raw, listParameters(collection.id, { ...query, ...inOrder }), { signal })) {
      yield page.filter(({ id }) => !ids.has(id));
    }
    return;
  }
  const list = [...ids];
  for (let from = 0; from < list.length; from += IDS_AT_ONCE) {
    const search = anyOfIds(list.slice(from, from + IDS_AT_ONCE));
    const { body } = await raw.listRecords(listParameters(collection.id, { search, ...inOrder }), { signal });
    yield body;
  }
}

/** All of them, or the first 20,000. */
export async function collectMeant(
  asked: Asked,
  { signal, onCount }: { readonly signal: AbortSignal; readonly onCount: (count: number) => void },
): Promise<readonly Meant[]> {
  const meant: Meant[] = [];
  for await (const page of walkMeant(asked, signal)) {
    for (const record of page) {
      meant.push({ id: record.id, hash: record.hash, title: titleOf(asked.collection, record) ?? record.id });
      if (meant.length === MEANT_MAX) return meant;
    }
    onCount(meant.length);
  }
  return meant;
}
