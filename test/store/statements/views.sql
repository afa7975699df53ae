-- Views of a collection, own and shared.

-- create one: POST tbooks00/views
begin;
select generation from app.fence for no key update;
select id from app.users where id = $1 and deleted_at is null for key share;
select (select count(*)::int from app.views v where v.collection_id = $1 and v.owner_id = $2),
  (select count(*)::int from app.views v where v.collection_id = $1 and v.shared);
insert into app.views (id, collection_id, owner_id, name, shared, settings)
values ($1, $2, $3, $4, $5, $6);
commit;

-- create one that is shared: POST tbooks00/views
begin;
select generation from app.fence for no key update;
select id from app.users where id = $1 and deleted_at is null for key share;
select (select count(*)::int from app.views v where v.collection_id = $1 and v.owner_id = $2),
  (select count(*)::int from app.views v where v.collection_id = $1 and v.shared);
insert into app.views (id, collection_id, owner_id, name, shared, settings)
values ($1, $2, $3, $4, $5, $6);
commit;

-- list them: GET tbooks00/views
select v.id, v.name, v.shared, u.id, u.name, v.settings
from app.views v
join app.users u on u.id = v.owner_id
where (v.collection_id = $1 and v.owner_id = $2)
  or (v.collection_id = $1 and v.shared)
order by v.name, v.id;

-- get one: GET tbooks00/views/{view}
select v.id, v.name, v.shared, u.id, u.name, v.settings
from app.views v
join app.users u on u.id = v.owner_id
where v.id = $1
  and v.collection_id = $2;

-- change one: PUT tbooks00/views/{view}
begin;
select generation from app.fence for no key update;
select id from app.users where id = $1 and deleted_at is null for key share;
select (select count(*)::int from app.views v where v.collection_id = $1 and v.owner_id = $2),
  (select count(*)::int from app.views v where v.collection_id = $1 and v.shared);
select v.id, v.name, v.shared, u.id, u.name, v.settings
from app.views v
join app.users u on u.id = v.owner_id
where v.id = $1
  and v.collection_id = $2
for update of v;
update app.views set name = $2, shared = $3, settings = $4 where id = $1;
commit;

-- delete one: DELETE tbooks00/views/{view}
begin;
select v.id, v.name, v.shared, u.id, u.name, v.settings
from app.views v
join app.users u on u.id = v.owner_id
where v.id = $1
  and v.collection_id = $2
for update of v;
delete from app.views where id = $1;
commit;
