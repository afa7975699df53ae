-- The activity log. Its entries are written together with what they tell of: see the other files.

-- what was logged in a span of time: GET /management/userActivityLogs
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
select string_agg(entry, E'\n' order by id), (array_agg(id order by id desc))[1], count(*)::int
from (select id, entry from app.activity where id >= $1 and id < $2 order by id limit 100) as page;
