-- Users, tokens and sessions.

-- create a user: POST /management/users
begin;
insert into app.users (
  id, name, email, password_hash, admin, api_access, management_api_access,
    organization_management_api_access, profile, team, team_leader, disabled, shared_user_id,
    created_at, name_folded, email_folded, profile_folded, team_folded, session_epoch
)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, false, $12, $13, $14, $15, $16, $17, 0
from app.fence
where fence.generation = $18
returning id;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
select pg_notify($1, $2);
select u.id, u.name, u.email, u.password_hash, u.admin, u.api_access, u.management_api_access,
  u.organization_management_api_access, u.profile, u.team, u.team_leader, u.disabled,
  u.shared_user_id, u.session_epoch, u.subject
from app.users u
where u.id = $1
  and u.deleted_at is null;
commit;

-- list users: GET /management/users
select u.id, u.name, u.email, u.password_hash, u.admin, u.api_access, u.management_api_access,
  u.organization_management_api_access, u.profile, u.team, u.team_leader, u.disabled,
  u.shared_user_id, u.session_epoch, u.subject
from app.users u
where u.deleted_at is null
order by u.name
limit $1 offset $2;

-- list their names: GET /users
select u.id, u.name from app.users u where u.deleted_at is null order by u.name limit $1 offset $2;

-- get a user: GET /management/users/{Cy}
select u.id, u.name, u.email, u.password_hash, u.admin, u.api_access, u.management_api_access,
  u.organization_management_api_access, u.profile, u.team, u.team_leader, u.disabled,
  u.shared_user_id, u.session_epoch, u.subject
from app.users u
where u.id = $1
  and u.deleted_at is null;

-- change a user: PUT /management/users/{Cy}
select u.id, u.name, u.email, u.password_hash, u.admin, u.api_access, u.management_api_access,
  u.organization_management_api_access, u.profile, u.team, u.team_leader, u.disabled,
  u.shared_user_id, u.session_epoch, u.subject
from app.users u
where u.id = $1
  and u.deleted_at is null;
begin;
select u.id, u.name, u.email, u.password_hash, u.admin, u.api_access, u.management_api_access,
  u.organization_management_api_access, u.profile, u.team, u.team_leader, u.disabled,
  u.shared_user_id, u.session_epoch, u.subject
from app.users u
where u.deleted_at is null
  and (u.id = $1)
order by u.id
for update;
select from cartulary.operators where application_id = $1 and user_id = $2;
update app.users as u
set email = $2, email_folded = $3, password_hash = $4, admin = $5, api_access = $6,
  management_api_access = $7, organization_management_api_access = $8, profile = $9,
  profile_folded = $10, team = $11, team_folded = $12, team_leader = $13, disabled = $14,
  session_epoch = $15, subject = $17
from app.fence
where u.id = $1
  and u.deleted_at is null
  and fence.generation = $16
returning u.id;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
select pg_notify($1, $2);
commit;

-- create a token: POST /users/{Admin}/tokens
begin;
select id from app.users where id = $1 and deleted_at is null for no key update;
select count(*)::integer from app.tokens where user_id = $1 and revoked_at is null;
insert into app.tokens (id, user_id, name, secret_hash, created_at, expires_at)
select $1, u.id, $3, $4, $5, $6
from app.users u
where u.id = $2
  and u.deleted_at is null
returning id;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
select pg_notify($1, $2);
commit;

-- list tokens: GET /users/{Admin}/tokens
select id, name, created_at, expires_at, last_used_at
from app.tokens
where user_id = $1
  and revoked_at is null
order by id;

-- list all tokens of the application: GET /operator/v1/applications/…/tokens?limit=10
select t.id, t.name, t.created_at, t.expires_at, t.last_used_at, u.id, u.name
from app.tokens t
join app.users u on u.id = t.user_id
where t.revoked_at is null
  and u.deleted_at is null
order by t.id
limit $1 offset $2;

-- find users by name and e-mail address: GET /operator/v1/applications/…/users?name=cy&email=example
select u.id, u.name, u.email, u.password_hash, u.admin, u.api_access, u.management_api_access,
  u.organization_management_api_access, u.profile, u.team, u.team_leader, u.disabled,
  u.shared_user_id, u.session_epoch, u.subject
from app.users u
where u.deleted_at is null
  and (strpos(u.name_folded, $3) > 0)
  and (strpos(u.email_folded, $4) > 0)
order by u.name
limit $1 offset $2;

-- delete a token: DELETE /users/{Admin}/tokens/{token}
begin;
update app.tokens
set revoked_at = $3
where id = $2
  and user_id = $1
  and revoked_at is null
returning id;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
select pg_notify($1, $2);
commit;

-- sign in, ask, and sign out: POST, GET and DELETE /session
select u.id, u.name, u.email, u.password_hash, u.admin, u.api_access, u.management_api_access,
  u.organization_management_api_access, u.profile, u.team, u.team_leader, u.disabled,
  u.shared_user_id, u.session_epoch, u.subject
from app.users u
where u.id = $1
  and u.deleted_at is null
limit 2;
with changed as (
  insert into app.sessions (
    id, user_id, method, epoch, secret_hash, confirmed, created_at, rotated_at, expires_at, ip,
      agent
  )
  select $1, $2, $3, $4, $5, true, $6, $6, $7, $8, $9
  from app.fence
  returning id
),
logged as (
  insert into app.activity (id, entry) select $10::uuid, $11::text from changed returning id
)
select changed.*
from changed;
select id from app.sessions where user_id = $1 order by created_at desc, id offset $2 limit $2;
select s.id, s.method, s.epoch, s.secret_hash, s.former_hash, s.confirmed, s.rotated_at,
  s.expires_at, u.id, u.name, u.email, u.password_hash, u.admin, u.api_access,
  u.management_api_access, u.organization_management_api_access, u.profile, u.team, u.team_leader,
  u.disabled, u.shared_user_id, u.session_epoch, u.subject
from app.sessions s
join app.users u on u.id = s.user_id
where s.id = $1
  and u.deleted_at is null;
select s.id, s.method, s.epoch, s.secret_hash, s.former_hash, s.confirmed, s.rotated_at,
  s.expires_at, u.id, u.name, u.email, u.password_hash, u.admin, u.api_access,
  u.management_api_access, u.organization_management_api_access, u.profile, u.team, u.team_leader,
  u.disabled, u.shared_user_id, u.session_epoch, u.subject
from app.sessions s
join app.users u on u.id = s.user_id
where s.id = $1
  and u.deleted_at is null;
begin;
delete from app.sessions where id = $1 returning id;
delete from app.devices where session_id = $1;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
select pg_notify($1, $2);
commit;

-- delete a user: DELETE /management/users/{Cy}
select u.id, u.name, u.email, u.password_hash, u.admin, u.api_access, u.management_api_access,
  u.organization_management_api_access, u.profile, u.team, u.team_leader, u.disabled,
  u.shared_user_id, u.session_epoch, u.subject
from app.users u
where u.id = $1
  and u.deleted_at is null;
begin;
select u.id, u.name, u.email, u.password_hash, u.admin, u.api_access, u.management_api_access,
  u.organization_management_api_access, u.profile, u.team, u.team_leader, u.disabled,
  u.shared_user_id, u.session_epoch, u.subject
from app.users u
where u.deleted_at is null
  and (u.id = $1)
order by u.id
for update;
update app.users set deleted_at = $2 where id = $1 and deleted_at is null;
delete
from app.deliveries
where state = 'waiting'
  and device_id in (select id from app.devices where user_id = $1);
delete from app.devices where user_id = $1;
delete from app.sessions where user_id = $1;
delete from app.password_resets where user_id = $1;
delete from app.views where owner_id = $1 and not shared;
delete from cartulary.operators where application_id = $1 and user_id = $2 returning user_id;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
select pg_notify($1, $2);
commit;
