// Requests to each application by the hour, in the system schema: counted in memory by every node and added up here.

import { isReferenceGone } from '../database/database-errors.ts';
import type { Reader, Writer } from '../database/handles.ts';

export interface RequestCounts {
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
}

/** So many applications may be removed while the counts are being written. */
const REMOVALS_MAX = 10;

/**
 * Applications that are gone are left out. If one is removed while the statement runs, the foreign key refuses all rows, and
 * the next attempt leaves that application out. Locks would prevent that, but would wait for every publishing.
 */
export async function addRequestCounts(
  writer: Writer,
  hour: string,
  counts: ReadonlyMap<string, RequestCounts>,
): Promise<void> {
  for (let removals = 0; ; removals++) {
    try {
      return await add(writer, hour, counts);
    } catch (error) {
      if (!isReferenceGone(error) || removals === REMOVALS_MAX) throw error;
    }
  }
}

/** In the order of identifiers, so that nodes do not wait for each other in a circle. */
async function add(writer: Writer, hour: string, counts: ReadonlyMap<string, RequestCounts>): Promise<void> {
  const rows = [...counts];
  await writer.write(
    `insert into cartulary.request_counts as c (application_id, hour, requests, refused, failed)
     select a.id, $1, n.requests, n.refused, n.failed
     from unnest($2::text[], $3::int[], $4::int[], $5::int[]) as n (id, requests, refused, failed)
       join cartulary.applications a on a.id = n.id
     order by a.id
     on conflict (application_id, hour) do update set requests = c.requests + excluded.requests,
       refused = c.refused + excluded.refused, failed = c.failed + excluded.failed
     returning 1`,
    [
      hour,
      rows.map(([id]) => id),
      rows.map(([, { requests }]) => requests),
      rows.map(([, { refused }]) => refused),
      rows.map(([, { failed }]) => failed),
    ],
  );
}

export async function listRequestCounts(
  reader: Reader,
  applicationId: string,
  since: string,
): Promise<(RequestCounts & { readonly hour: number })[]> {
  const rows = await reader.rows(
    `select hour, requests, refused, failed from cartulary.request_counts
     where application_id = $1 and hour >= $2 order by hour`,
    [applicationId, since],
  );
  return (rows as [Date, number, number, number][]).map(([hour, requests, refused, failed]) => ({
    hour: hour.getTime(),
    ...{ requests, refused, failed },
  }));
}

/** By application; those without requests are absent. */
export async function sumRequestCounts(reader: Reader, since: string): Promise<Map<string, RequestCounts>> {
  const rows = await reader.rows(
    `select application_id, sum(requests)::float8, sum(refused)::float8, sum(failed)::float8
     from cartulary.request_counts where hour >= $1 group by application_id`,
    [since],
  );
  return new Map(
    (rows as [string, number, number, number][]).map(([id, requests, refused, failed]) => [
      id,
      { requests, refused, failed },
    ]),
  );
}

const IDS_PAGE = 500;

/** One page of the applications with requests since that hour, ordered by identifier, after the given one. */
export async function pageOfUsed(
  reader: Reader,
  { since, after }: { since: string; after: string },
): Promise<string[]> {
  const rows = await reader.rows(
    `select distinct application_id from cartulary.request_counts where hour >= $1 and application_id > $2
     order by application_id limit ${IDS_PAGE}`,
    [since, after],
  );
  return rows.map((row) => row[0] as string);
}

export async function removeOldRequestCounts(writer: Writer, before: string): Promise<void> {
  await writer.write('delete from cartulary.request_counts where hour < $1', [before]);
}
