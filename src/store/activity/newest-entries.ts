// Reads the activity log for people: newest first, narrowed down, and counted by day and kind. Entries have no index but their
// key, so a request looks at a bounded number of them and says where the next one goes on.

import type { EntryFilter } from '../../domain/activity/entry-filter.ts';
import { firstUuidAt } from '../../domain/ids.ts';
import { isRefusedParameter, unknownZone } from '../database/database-errors.ts';
import type { Reader } from '../database/handles.ts';
import { Params } from '../database/params.ts';

/** Reading and parsing so many takes the database 40 ms. */
export const LOOKED_AT_MAX = 10_000;

type ComparedMember = Exclude<keyof EntryFilter, 'thumbnails'>;

const PATHS: Readonly<Record<ComparedMember, string>> = {
  userId: '{user,id}',
  type: '{type}',
  subType: '{subType}',
  collectionId: '{collection,id}',
  recordId: '{extra,recordId}',
};

function conditionsOf(filter: EntryFilter, params: Params): readonly string[] {
  const compared = (Object.keys(PATHS) as ComparedMember[]).flatMap((member) => {
    const wanted = filter[member];
    return wanted === undefined ? [] : [`entry::json #>> '${PATHS[member]}' = ${params.text(wanted)}`];
  });
  // Only thumbnails have a size.
  return filter.thumbnails === false ? [...compared, "entry::json #> '{extra,size}' is null"] : compared;
}

export interface NewestEntries {
  readonly entries: readonly string[];
  /** The key before which the next page begins; undefined at the end. */
  readonly next: string | undefined;
}

export async function readNewest(
  reader: Reader,
  { start, before, filter, limit }: { start: number; before: string; filter: EntryFilter; limit: number },
): Promise<NewestEntries> {
  const params = new Params();
  const [from, to] = [params.add(firstUuidAt(start), 'uuid'), params.add(before, 'uuid')];
  const conditions = conditionsOf(filter, params);
  const lookedAtMax = conditions.length === 0 ? limit : LOOKED_AT_MAX;
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const [rows = []] = await reader.longQuery({
    text: `with looked as materialized (select id, entry from ${reader.schema}.activity
        where id >= ${from} and id < ${to} order by id desc limit ${lookedAtMax})
      select found.id, found.entry, seen.count, seen.last
      from (select count(*)::int as count, (array_agg(id order by id))[1] as last from looked) as seen
      left join lateral (select id, entry from looked ${where} order by id desc limit ${limit}) as found on true
      order by found.id desc`,
    params: params.values,
  });
  const [, , count, last] = rows[0] as [unknown, unknown, number, string | null];
  const found = (rows as [string | null, string][]).filter(([id]) => id !== null);
  const full = found.length === limit ? found.at(-1)?.[0] : undefined;
  const next = full ?? (count === lookedAtMax ? last : undefined);
  return { entries: found.map(([, entry]) => entry), next: next ?? undefined };
}

export interface DayCount {
  /** `2026-11-15`, in the zone. */
  readonly day: string;
  readonly type: string;
  readonly subType: string;
  readonly count: number;
}

/** Reads every entry of the period; only the request's deadline bounds that. */
export async function countByDay(
  reader: Reader,
  { start, end, filter, zone }: { start: number; end: number; filter: EntryFilter; zone: string },
): Promise<DayCount[]> {
  const params = new Params();
  const [from, to] = [params.add(firstUuidAt(start), 'uuid'), params.add(firstUuidAt(end), 'uuid')];
  const inZone = params.text(zone);
  const where = [`id >= ${from}`, `id < ${to}`, ...conditionsOf(filter, params)].join(' and ');
  const statement = {
    text: `select to_char((entry::json ->> 'date')::timestamptz at time zone ${inZone}, 'YYYY-MM-DD') as day,
        entry::json ->> 'type' as type, entry::json ->> 'subType' as sub_type, count(*)::int
      from ${reader.schema}.activity where ${where} group by 1, 2, 3 order by 1, 2, 3`,
    params: params.values,
  };
  const [rows = []] = await reader.longQuery(statement).catch((error: unknown) => {
    throw isRefusedParameter(error) ? unknownZone() : error;
  });
  return (rows as [string, string, string, number][]).map(([day, type, subType, count]) => ({
    day,
    type,
    subType,
    count,
  }));
}
