-- Attachments, and the records that hold them.

-- store a file: POST tdiaries/attachments
insert into app.attachments (
  id, collection_id, name, content_type, state, created_by, created_at, node, received, free_since
)
values ($1, $2, $3, $4, 'pending', $5, $6, $7, 0, $6)
returning id;
with changed as (
  update app.attachments
  set state = 'available', size = $3, received = $3, hash = $4, uploaded_at = $5, node = null,
    expires_at = null, free_since = case when free_since is null then null else $5::timestamptz end
  where id = $1
    and node = $2
    and state = 'pending'
  returning id
),
logged as (insert into app.activity (id, entry) select $6::uuid, $7::text from changed returning id)
select changed.*
from changed;

-- fetch a file: GET tdiaries/attachments/{file}
select a.id, a.name, a.content_type, a.size::float8, a.hash, a.state, a.uploaded_at,
  a.free_since is not null
from app.attachments a
where a.id = any($1::text[])
  and a.collection_id = $2
  and a.state in ('pending', 'available')
  and (
    $3::boolean
    or a.created_by = $4
    or (
      with holders as materialized (
        select t.created_by from app.tdiaries t where t.a_cdfile00 @> jsonb_build_array(a.id)
      )
      select exists (select 1 from holders h where $5::text is null or h.created_by = $5)
    )
  );

-- hold it in a record: POST tdiaries/records
select a.id, a.name, a.content_type, a.size::float8, a.hash, a.state, a.uploaded_at,
  a.free_since is not null
from app.attachments a
where a.id = any($1::text[])
  and a.collection_id = $2
  and a.state in ('pending', 'available')
  and (
    $3::boolean
    or a.created_by = $4
    or (
      with holders as materialized (
        select t.created_by from app.tdiaries t where t.a_cdfile00 @> jsonb_build_array(a.id)
      )
      select exists (select 1 from holders h where $5::text is null or h.created_by = $5)
    )
  );
begin;
select id from app.attachments where id = any($1::text[]) order by id for update;
update app.attachments
set free_since = null
where id = any($1::text[])
  and state in ('pending', 'available')
returning id;
commit;
