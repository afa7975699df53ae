-- What publishing does to the table of a collection, and to its records.

-- another column, and a unique one: POST /operator/v1/applications
begin;
select a.definition, a.version, a.generation, a.preparing, a.published_at,
  o.single_sign_on is not null, o.sign_on_epoch,
  not exists (select from cartulary.publishing p where p.application_id = a.id),
  a.migration
from cartulary.applications a
join cartulary.organizations o on o.name = a.organization
where a.id = $1;
select left(min(value), 201), (array_agg(id order by id))[1:5]
from (
  select id, (rec::json -> 'values' -> 'caname00')::text as value,
    (rec::json -> 'values' -> 'caname00')::text as key
  from app.tauthors
) v
where key is not null
group by key having count(*) > 1
order by 1
limit 5;
commit;
begin;
set local citus.propagate_set_commands = 'local';
set local lock_timeout = 5000;
lock table app.tauthors in share update exclusive mode;
set local lock_timeout = 200;
alter table app.tauthors add column u_caname00 text collate "C", add column d_cborn000 date;
commit;
begin;
update cartulary.applications set generation = $2, preparing = $3 where id = $1;
update app.fence set generation = $1;
select pg_notify($1, $2);
commit;
begin;
set local citus.propagate_set_commands = 'local';
set local lock_timeout = 5000;
lock table app.tauthors in share update exclusive mode;
set local lock_timeout = 200;
lock table app.tauthors in exclusive mode;
commit;
select count(*)::int from app.tauthors;
select max(id) from app.tauthors;
select id, rec, hash, null, u_caname00 is not null
from (
  select *, sum(octet_length(rec)) over (order by id) as bytes
  from (select * from app.tauthors where id > $1 order by id limit $2) t
) p
where bytes - octet_length(rec) < 8388608
order by id;
begin;
select id from app.tauthors where id = any($1::text[]) order by id for update skip locked;
update app.tauthors as t
set u_caname00 = r.u_caname00
from app.fence, unnest($3::text[], $4::text[], $5::text[]) as r(id, hash, u_caname00)
where fence.generation = $1
  and t.id = any($2::text[])
  and t.id = r.id
  and t.hash = r.hash
returning t.id;
commit;
create unique index concurrently tauthors_caname00_key on app.tauthors (u_caname00);
create index concurrently tauthors_d_cborn000 on app.tauthors (d_cborn000 nulls first, id);
analyze app.tauthors;
begin;
insert into cartulary.organizations (name) values ($1) on conflict (name) do nothing;
insert into cartulary.publishing (application_id, other, switched, step, done, total, started_at)
values ($1, $2, $3, $4, 0, 0, $5)
on conflict (application_id)
do update
set other = excluded.other, switched = excluded.switched, step = excluded.step,
  collection_id = null, done = 0, total = 0;
update app.fence set generation = $1;
insert into cartulary.applications (
  id, organization, version, generation, definition, published_at, migration
)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (id)
do update
set organization = excluded.organization, version = excluded.version,
  generation = excluded.generation, definition = excluded.definition, preparing = null,
  published_at = excluded.published_at;
insert into app.published_definitions (version, published_at, definition, changes)
values ($1, $2, $3, $4)
on conflict (version)
do nothing;
delete from app.published_definitions where version <= $1;
insert into app.published_definitions (version, published_at, definition, changes)
values ($1, $2, $3, $4)
on conflict (version)
do nothing;
delete from app.published_definitions where version <= $1;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
select pg_notify($1, $2);
commit;

-- a column less: POST /operator/v1/applications
begin;
select a.definition, a.version, a.generation, a.preparing, a.published_at,
  o.single_sign_on is not null, o.sign_on_epoch,
  not exists (select from cartulary.publishing p where p.application_id = a.id),
  a.migration
from cartulary.applications a
join cartulary.organizations o on o.name = a.organization
where a.id = $1;
select count(*)::int from app.tauthors where rec::json -> 'values' -> 'cborn000' is not null;
commit;
begin;
insert into cartulary.organizations (name) values ($1) on conflict (name) do nothing;
set local citus.propagate_set_commands = 'local';
set local lock_timeout = 5000;
lock table app.tauthors in share update exclusive mode;
set local lock_timeout = 200;
lock table app.tauthors in exclusive mode;
set local lock_timeout = 0;
select count(*)::int from app.tauthors;
select id, rec, hash, null
from (
  select *, sum(octet_length(rec)) over (order by id) as bytes
  from (select * from app.tauthors where id > $1 order by id limit $2) t
) p
where bytes - octet_length(rec) < 8388608
order by id;
select id, rec, hash, null
from (
  select *, sum(octet_length(rec)) over (order by id) as bytes
  from (select * from app.tauthors where id > $1 order by id limit $2) t
) p
where bytes - octet_length(rec) < 8388608
order by id;
insert into cartulary.publishing (application_id, other, switched, step, done, total, started_at)
values ($1, $2, $3, $4, 0, 0, $5)
on conflict (application_id)
do update
set other = excluded.other, switched = excluded.switched, step = excluded.step,
  collection_id = null, done = 0, total = 0;
update app.fence set generation = $1;
insert into cartulary.applications (
  id, organization, version, generation, definition, published_at, migration
)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (id)
do update
set organization = excluded.organization, version = excluded.version,
  generation = excluded.generation, definition = excluded.definition, preparing = null,
  published_at = excluded.published_at;
insert into app.published_definitions (version, published_at, definition, changes)
values ($1, $2, $3, $4)
on conflict (version)
do nothing;
delete from app.published_definitions where version <= $1;
insert into app.published_definitions (version, published_at, definition, changes)
values ($1, $2, $3, $4)
on conflict (version)
do nothing;
delete from app.published_definitions where version <= $1;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
select pg_notify($1, $2);
commit;
begin;
select pg_try_advisory_xact_lock_shared($1, $2);
set local citus.propagate_set_commands = 'local';
set local lock_timeout = 5000;
lock table app.tauthors in share update exclusive mode;
set local lock_timeout = 200;
alter table app.tauthors drop column d_cborn000;
commit;
