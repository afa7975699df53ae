-- The activity log. Its entries are written together with what they tell of: see the other files.

-- what was logged in a span of time: GET /management/userActivityLogs
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
select string_agg(entry, E'\n' order by id), (array_agg(id order by id desc))[1], count(*)::int
from (select id, entry from app.activity where id >= $1 and id < $2 order by id limit 100) as page;

-- the newest entries: GET /management/userActivityLogs/entries?limit=2
with looked as materialized (
  select id, entry from app.activity where id >= $1::uuid and id < $2::uuid order by id desc limit 2
)
select found.id, found.entry, seen.count, seen.last
from (select count(*)::int as count, (array_agg(id order by id))[1] as last from looked) as seen
left
join lateral (select id, entry from looked order by id desc limit 2) as found on true
order by found.id desc;

-- the newest of a user in a collection: GET /management/userActivityLogs/entries?userId=operator&kind=record.delete&collectionId=tauthors&thumbnails=false&limit=2
with looked as materialized (
  select id, entry
  from app.activity
  where id >= $1::uuid
    and id < $2::uuid
  order by id desc
  limit 10000
)
select found.id, found.entry, seen.count, seen.last
from (select count(*)::int as count, (array_agg(id order by id))[1] as last from looked) as seen
left
join lateral (
  select id, entry
  from looked
  where entry::json #>> '{user,id}' = $3::text
    and entry::json #>> '{type}' = $4::text
    and entry::json #>> '{subType}' = $5::text
    and entry::json #>> '{collection,id}' = $6::text
    and entry::json #> '{extra,size}' is null
  order by id desc
  limit 2
) as found on true
order by found.id desc;

-- counts by day: GET /management/userActivityLogs/figures?startDate=2026-01-01T00:00:00.000Z&endDate=2026-01-02T00:00:00.000Z&kind=record
select to_char((entry::json ->> 'date')::timestamptz at time zone $3::text, 'YYYY-MM-DD') as day,
  entry::json ->> 'type' as type, entry::json ->> 'subType' as sub_type, count(*)::int
from app.activity
where id >= $1::uuid
  and id < $2::uuid
  and entry::json #>> '{type}' = $4::text
group by 1, 2, 3
order by 1, 2, 3;
