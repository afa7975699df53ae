-- Devices of users, and sending to them.

-- register a device: POST /users/{Admin}/devices
begin;
insert into app.devices as d (
  id, user_id, session_id, token_id, epoch, transport, address, address_hash, keys, name, created_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict (transport, address_hash)
do update
set id = case when d.user_id = excluded.user_id then d.id else excluded.id end,
  created_at = case
    when d.user_id = excluded.user_id then d.created_at
    else excluded.created_at
  end, user_id = excluded.user_id, session_id = excluded.session_id, token_id = excluded.token_id,
  epoch = excluded.epoch, keys = excluded.keys, name = excluded.name
returning d.id, d.transport, d.name, d.created_at;
delete
from app.devices
where user_id = $1
  and id not in (
    select d.id
    from app.devices d
    where d.user_id = $1
    order by d.id = $3 desc, d.created_at desc, d.id desc
    limit $2
  );
commit;

-- list devices: GET /users/{Admin}/devices
select d.epoch, d.token_id,
  case
    when d.token_id is not null then t.id is not null
    and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > $2)
  end, d.id, d.transport, d.name, d.created_at
from app.devices d
left
join app.tokens t on t.id = d.token_id
where d.user_id = $1
order by d.created_at, d.id;

-- delete a device: DELETE /users/{Admin}/devices/{device}
delete from app.devices where user_id = $1 and id = $2 returning id;

-- send: POST /users/{Admin}/notifications
select d.epoch, d.token_id,
  case
    when d.token_id is not null then t.id is not null
    and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > $2)
  end, d.id, d.transport, d.name, d.created_at
from app.devices d
left
join app.tokens t on t.id = d.token_id
where d.user_id = $1
order by d.created_at, d.id;
begin;
insert into app.notifications (id, user_id, created_by, message, created_at)
values ($1, $2, $3, $4, $5);
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
commit;

-- what was sent: GET /notifications?limit=2
select n.id, n.created_at, n.message, s.id, s.name, u.id, u.name, q.device_id, q.state, q.attempts,
  q.problem, q.finished_at, d.transport, d.name
from (
  select id, created_at, message, created_by, user_id
  from app.notifications
  where id < $1
  order by id desc
  limit $2
) as n
join app.users s on s.id = n.created_by
join app.users u on u.id = n.user_id
left
join app.deliveries q on q.notification_id = n.id
left
join app.devices d on d.id = q.device_id
  and d.user_id = n.user_id
order by n.id desc, q.device_id;
