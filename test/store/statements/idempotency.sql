-- Requests with an Idempotency-Key.

-- create one: POST tauthors/records
begin;
select pg_try_advisory_xact_lock($1::bigint);
select fingerprint, content, created_at, attachment_id, node, status, headers,
  case when octet_length(body) <= 65536 then body end, octet_length(body)
from app.idempotency_keys
where user_id = $1
  and key = $2;
savepoint step;
insert into app.tauthors (
  id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at,
    s_caname00, find
)
select $5, $6, $7, $8, $9, $2::timestamptz, $3, $4, $2::timestamptz, $10::text, $11::text
from app.fence
where fence.generation = $1
returning id;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
insert into app.idempotency_keys (
  user_id, key, fingerprint, content, created_at, attachment_id, node, status, headers, body
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
returning key;
commit;

-- create one again: POST tauthors/records
begin;
select pg_try_advisory_xact_lock($1::bigint);
select fingerprint, content, created_at, attachment_id, node, status, headers,
  case when octet_length(body) <= 65536 then body end, octet_length(body)
from app.idempotency_keys
where user_id = $1
  and key = $2;
rollback;

-- create one that is refused: POST tauthors/records
begin;
select pg_try_advisory_xact_lock($1::bigint);
select fingerprint, content, created_at, attachment_id, node, status, headers,
  case when octet_length(body) <= 65536 then body end, octet_length(body)
from app.idempotency_keys
where user_id = $1
  and key = $2;
insert into app.idempotency_keys (
  user_id, key, fingerprint, content, created_at, attachment_id, node, status, headers, body
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
returning key;
commit;

-- store a file: POST tdiaries/attachments
begin;
select pg_try_advisory_xact_lock($1::bigint);
select fingerprint, content, created_at, attachment_id, node, status, headers,
  case when octet_length(body) <= 65536 then body end, octet_length(body)
from app.idempotency_keys
where user_id = $1
  and key = $2;
insert into app.idempotency_keys (
  user_id, key, fingerprint, content, created_at, attachment_id, node, status, headers, body
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
returning key;
commit;
begin;
select pg_try_advisory_xact_lock($1::bigint);
select fingerprint, content, created_at, attachment_id, node, status, headers,
  case when octet_length(body) <= 65536 then body end, octet_length(body)
from app.idempotency_keys
where user_id = $1
  and key = $2;
update app.attachments
set state = 'available', size = $3, received = $3, hash = $4, uploaded_at = $5, node = null,
  expires_at = null, free_since = case when free_since is null then null else $5::timestamptz end
where id = $1
  and node = $2
  and state = 'pending'
returning id;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
delete from app.idempotency_keys where user_id = $1 and key = $2 returning key;
insert into app.idempotency_keys (
  user_id, key, fingerprint, content, created_at, attachment_id, node, status, headers, body
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
returning key;
commit;

-- store a file again: POST tdiaries/attachments
begin;
select pg_try_advisory_xact_lock($1::bigint);
select fingerprint, content, created_at, attachment_id, node, status, headers,
  case when octet_length(body) <= 65536 then body end, octet_length(body)
from app.idempotency_keys
where user_id = $1
  and key = $2;
rollback;
delete
from app.idempotency_keys
where user_id = $1
  and key = $2
  and attachment_id = $3
  and node = $4
  and status is null
returning key;
