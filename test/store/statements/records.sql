-- Creating, reading, changing and deleting records.

-- create one: POST tauthors/records
with changed as (
  insert into app.tauthors (
    id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at,
      s_caname00, find
  )
  select $5, $6, $7, $8, $9, $2::timestamptz, $3, $4, $2::timestamptz, $10::text, $11::text
  from app.fence
  where fence.generation = $1
  returning id
),
logged as (
  insert into app.activity (id, entry) select $12::uuid, $13::text from changed returning id
)
select changed.*
from changed;

-- create one with a reference: POST tbooks00/records
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
with changed as (
  insert into app.tbooks00 (
    id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at,
      u_ccode000, u_cserial0, s_ctitle00, p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
  )
  select $5, $6, $7, $8, $9, $2::timestamptz, $3, $4, $2::timestamptz, $10::text, $11::text,
    $12::text, $13::text, $14::float8, $15::date, $16::text, $17::text
  from app.fence
  where fence.generation = $1
  returning id
),
logged as (
  insert into app.activity (id, entry) select $18::uuid, $19::text from changed returning id
)
select changed.*
from changed;
select id, hash,
  case
    when octet_length(rec) <= 8192 then rec
    when octet_length(rec) > 16384 then octet_length(rec)::text
  end,
  case
    when octet_length(rec) > 8192
    and octet_length(rec) <= 16384 then (rec::json -> 'values' -> 'caname00')::text
  end
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);

-- create a batch: POST tbooks00/records
with changed as (
  insert into app.tbooks00 (
    id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at,
      u_ccode000, u_cserial0, s_ctitle00, p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
  )
  select r.id, r.rec, r.hash, r.created_by, r.created_name, $2::timestamptz, $3, $4,
    $2::timestamptz, r.u_ccode000, r.u_cserial0, r.s_ctitle00, r.p_ccode000, r.n_csize000,
    r.d_cday0000, r.r_cauthor0, r.find
  from app.fence,
    unnest(
      $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
        $12::text[], $13::text[], $14::float8[], $15::date[], $16::text[], $17::text[]
    ) as r(
      id, rec, hash, created_by, created_name, u_ccode000, u_cserial0, s_ctitle00, p_ccode000,
        n_csize000, d_cday0000, r_cauthor0, find
    )
  where fence.generation = $1
  returning id
),
logged as (
  insert into app.activity (id, entry)
  select e.id, e.entry
  from unnest($18::uuid[], $19::text[], $20::text[]) as e(id, entry, subject_id)
  join changed on changed.id = e.subject_id
  returning id
)
select changed.*
from changed;

-- create one whose unique values are taken: POST tbooks00/records
with changed as (
  insert into app.tbooks00 (
    id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at,
      u_ccode000, u_cserial0, s_ctitle00, p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
  )
  select $5, $6, $7, $8, $9, $2::timestamptz, $3, $4, $2::timestamptz, $10::text, $11::text,
    $12::text, $13::text, $14::float8, $15::date, $16::text, $17::text
  from app.fence
  where fence.generation = $1
  returning id
),
logged as (
  insert into app.activity (id, entry) select $18::uuid, $19::text from changed returning id
)
select changed.*
from changed;
select coalesce(bool_or(u_ccode000 = $2), false), coalesce(bool_or(u_cserial0 = $3), false)
from app.tbooks00
where id <> $1
  and (u_ccode000 = $2 or u_cserial0 = $3);

-- create a batch of which one is refused: POST tbooks00/records
with changed as (
  insert into app.tbooks00 (
    id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at,
      u_ccode000, u_cserial0, s_ctitle00, p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
  )
  select r.id, r.rec, r.hash, r.created_by, r.created_name, $2::timestamptz, $3, $4,
    $2::timestamptz, r.u_ccode000, r.u_cserial0, r.s_ctitle00, r.p_ccode000, r.n_csize000,
    r.d_cday0000, r.r_cauthor0, r.find
  from app.fence,
    unnest(
      $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
        $12::text[], $13::text[], $14::float8[], $15::date[], $16::text[], $17::text[]
    ) as r(
      id, rec, hash, created_by, created_name, u_ccode000, u_cserial0, s_ctitle00, p_ccode000,
        n_csize000, d_cday0000, r_cauthor0, find
    )
  where fence.generation = $1
  returning id
),
logged as (
  insert into app.activity (id, entry)
  select e.id, e.entry
  from unnest($18::uuid[], $19::text[], $20::text[]) as e(id, entry, subject_id)
  join changed on changed.id = e.subject_id
  returning id
)
select changed.*
from changed;
begin;
savepoint step;
insert into app.tbooks00 (
  id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at,
    u_ccode000, u_cserial0, s_ctitle00, p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
)
select $5, $6, $7, $8, $9, $2::timestamptz, $3, $4, $2::timestamptz, $10::text, $11::text,
  $12::text, $13::text, $14::float8, $15::date, $16::text, $17::text
from app.fence
where fence.generation = $1
returning id;
savepoint step;
insert into app.tbooks00 (
  id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at,
    u_ccode000, u_cserial0, s_ctitle00, p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
)
select $5, $6, $7, $8, $9, $2::timestamptz, $3, $4, $2::timestamptz, $10::text, $11::text,
  $12::text, $13::text, $14::float8, $15::date, $16::text, $17::text
from app.fence
where fence.generation = $1
returning id;
rollback to savepoint step;
select coalesce(bool_or(u_ccode000 = $2), false), coalesce(bool_or(u_cserial0 = $3), false)
from app.tbooks00
where id <> $1
  and (u_ccode000 = $2 or u_cserial0 = $3);
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
commit;

-- create a long one: POST tbooks00/records
with changed as (
  insert into app.tbooks00 (
    id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at,
      u_ccode000, u_cserial0, s_ctitle00, p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
  )
  select $5, $6, $7, $8, $9, $2::timestamptz, $3, $4, $2::timestamptz, $10::text, $11::text,
    $12::text, $13::text, $14::float8, $15::date, $16::text, $17::text
  from app.fence
  where fence.generation = $1
  returning id
),
logged as (
  insert into app.activity (id, entry) select $18::uuid, $19::text from changed returning id
)
select changed.*
from changed;

-- get one: GET tauthors/records/{Ann}
select case when octet_length(rec) <= 65536 then rec else octet_length(rec)::text || ' ' || id end
from app.tauthors
where id = $1
  and ($2::text is null or created_by = $2) /* planned once */;

-- get one with a reference: GET tbooks00/records/{first}
select case when octet_length(rec) <= 65536 then rec else octet_length(rec)::text || ' ' || id end
from app.tbooks00
where id = $1
  and ($2::text is null or created_by = $2) /* planned once */;
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);

-- get a long one: GET tbooks00/records/{long}
select case when octet_length(rec) <= 65536 then rec else octet_length(rec)::text || ' ' || id end
from app.tbooks00
where id = $1
  and ($2::text is null or created_by = $2) /* planned once */;
copy (select id, rec from app.tbooks00 where id in ('{record}')) to stdout (format binary);

-- replace one: PUT tbooks00/records/{first}
with changed as (
  update app.tbooks00 as t
  set rec = left(t.rec, strpos(t.rec, ',"timestamp":"') + 13) || case
    when t.hash = $3 then substr(t.rec, strpos(t.rec, ',"timestamp":"') + 14, 24)
    else greatest(
      substr(t.rec, strpos(t.rec, ',"timestamp":"') + 14, 24) collate "C",
        greatest(substr(t.rec, strpos(t.rec, ',"timestamp":"') + 89, 24) collate "C", $4::text)
    )
  end || $6::text || greatest(substr(t.rec, strpos(t.rec, ',"timestamp":"') + 89, 24) collate "C", $4::text) || $7::text,
    hash = $3, updated_at = greatest(t.updated_at, $5::timestamptz),
    updated_by = $10, updated_name = $11, u_ccode000 = $12::text, u_cserial0 = $13::text,
    s_ctitle00 = $14::text, p_ccode000 = $15::text, n_csize000 = $16::float8,
    d_cday0000 = $17::date, r_cauthor0 = $18::text, find = $19::text
  from app.fence
  where fence.generation = $1
    and t.id = $2
    and ($8::text is null or t.created_by = $8)
    and ($9::text is null or t.hash = $9)
  returning t.id, t.rec
),
logged as (
  insert into app.activity (id, entry) select $20::uuid, $21::text from changed returning id
)
select changed.*
from changed;

-- replace one that has changed: PUT tbooks00/records/{first}
with changed as (
  update app.tbooks00 as t
  set rec = left(t.rec, strpos(t.rec, ',"timestamp":"') + 13) || case
    when t.hash = $3 then substr(t.rec, strpos(t.rec, ',"timestamp":"') + 14, 24)
    else greatest(
      substr(t.rec, strpos(t.rec, ',"timestamp":"') + 14, 24) collate "C",
        greatest(substr(t.rec, strpos(t.rec, ',"timestamp":"') + 89, 24) collate "C", $4::text)
    )
  end || $6::text || greatest(substr(t.rec, strpos(t.rec, ',"timestamp":"') + 89, 24) collate "C", $4::text) || $7::text,
    hash = $3, updated_at = greatest(t.updated_at, $5::timestamptz),
    updated_by = $10, updated_name = $11, u_ccode000 = $12::text, u_cserial0 = $13::text,
    s_ctitle00 = $14::text, p_ccode000 = $15::text, n_csize000 = $16::float8,
    d_cday0000 = $17::date, r_cauthor0 = $18::text, find = $19::text
  from app.fence
  where fence.generation = $1
    and t.id = $2
    and ($8::text is null or t.created_by = $8)
    and ($9::text is null or t.hash = $9)
  returning t.id, t.rec
),
logged as (
  insert into app.activity (id, entry) select $20::uuid, $21::text from changed returning id
)
select changed.*
from changed;
select hash, created_by from app.tbooks00 where id = $1;
select generation from app.fence;

-- change some columns of one: PUT tbooks00/records/{first}
select case when octet_length(rec) <= 65536 then rec else octet_length(rec)::text || ' ' || id end
from app.tbooks00
where id = $1
  and ($2::text is null or created_by = $2) /* planned once */;
with changed as (
  update app.tbooks00 as t
  set rec = left(t.rec, strpos(t.rec, ',"timestamp":"') + 13) || case
    when t.hash = $3 then substr(t.rec, strpos(t.rec, ',"timestamp":"') + 14, 24)
    else greatest(
      substr(t.rec, strpos(t.rec, ',"timestamp":"') + 14, 24) collate "C",
        greatest(substr(t.rec, strpos(t.rec, ',"timestamp":"') + 89, 24) collate "C", $4::text)
    )
  end || $6::text || greatest(substr(t.rec, strpos(t.rec, ',"timestamp":"') + 89, 24) collate "C", $4::text) || $7::text,
    hash = $3, updated_at = greatest(t.updated_at, $5::timestamptz),
    updated_by = $10, updated_name = $11, u_ccode000 = $12::text, u_cserial0 = $13::text,
    s_ctitle00 = $14::text, p_ccode000 = $15::text, n_csize000 = $16::float8,
    d_cday0000 = $17::date, r_cauthor0 = $18::text, find = $19::text
  from app.fence
  where fence.generation = $1
    and t.id = $2
    and ($8::text is null or t.created_by = $8)
    and ($9::text is null or t.hash = $9)
  returning t.id, t.rec
),
logged as (
  insert into app.activity (id, entry) select $20::uuid, $21::text from changed returning id
)
select changed.*
from changed;

-- update a batch: PUT tbooks00/records
with changed as (
  update app.tbooks00 as t
  set rec = left(t.rec, strpos(t.rec, ',"timestamp":"') + 13) || case
    when t.hash = r.hash then substr(t.rec, strpos(t.rec, ',"timestamp":"') + 14, 24)
    else greatest(
      substr(t.rec, strpos(t.rec, ',"timestamp":"') + 14, 24) collate "C",
        greatest(substr(t.rec, strpos(t.rec, ',"timestamp":"') + 89, 24) collate "C", $2::text)
    )
  end || r.hash_part || greatest(substr(t.rec, strpos(t.rec, ',"timestamp":"') + 89, 24) collate "C", $2::text) || r.tail_part,
    hash = r.hash, updated_at = greatest(t.updated_at, $3::timestamptz),
    updated_by = $4, updated_name = $5, u_ccode000 = r.u_ccode000, u_cserial0 = r.u_cserial0,
    s_ctitle00 = r.s_ctitle00, p_ccode000 = r.p_ccode000, n_csize000 = r.n_csize000,
    d_cday0000 = r.d_cday0000, r_cauthor0 = r.r_cauthor0, find = r.find
  from app.fence,
    unnest(
      $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
        $14::text[], $15::float8[], $16::date[], $17::text[], $18::text[]
    ) as r(
      id, hash, hash_part, tail_part, u_ccode000, u_cserial0, s_ctitle00, p_ccode000, n_csize000,
        d_cday0000, r_cauthor0, find
    )
  where fence.generation = $1
    and t.id = r.id
    and cardinality($7::text[]) = (
      select count(*)
      from (
        select l.id
        from app.tbooks00 as l,
          unnest($7::text[], $11::text[], $12::text[]) as k(id, u_ccode000, u_cserial0)
        where l.id = k.id
          and ($6::text is null or l.created_by = $6)
          and (l.u_ccode000 = k.u_ccode000 or (l.u_ccode000 = any($11::text[])) is not true)
          and (l.u_cserial0 = k.u_cserial0 or (l.u_cserial0 = any($12::text[])) is not true)
        order by l.id
        for update of l
      ) as locked
    )
  returning t.id, t.rec
),
logged as (
  insert into app.activity (id, entry)
  select e.id, e.entry
  from unnest($19::uuid[], $20::text[], $21::text[]) as e(id, entry, subject_id)
  join changed on changed.id = e.subject_id
  returning id
)
select changed.*
from changed;

-- update a batch that exchanges unique values: PUT tbooks00/records
with changed as (
  update app.tbooks00 as t
  set rec = left(t.rec, strpos(t.rec, ',"timestamp":"') + 13) || case
    when t.hash = r.hash then substr(t.rec, strpos(t.rec, ',"timestamp":"') + 14, 24)
    else greatest(
      substr(t.rec, strpos(t.rec, ',"timestamp":"') + 14, 24) collate "C",
        greatest(substr(t.rec, strpos(t.rec, ',"timestamp":"') + 89, 24) collate "C", $2::text)
    )
  end || r.hash_part || greatest(substr(t.rec, strpos(t.rec, ',"timestamp":"') + 89, 24) collate "C", $2::text) || r.tail_part,
    hash = r.hash, updated_at = greatest(t.updated_at, $3::timestamptz),
    updated_by = $4, updated_name = $5, u_ccode000 = r.u_ccode000, u_cserial0 = r.u_cserial0,
    s_ctitle00 = r.s_ctitle00, p_ccode000 = r.p_ccode000, n_csize000 = r.n_csize000,
    d_cday0000 = r.d_cday0000, r_cauthor0 = r.r_cauthor0, find = r.find
  from app.fence,
    unnest(
      $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
        $14::text[], $15::float8[], $16::date[], $17::text[], $18::text[]
    ) as r(
      id, hash, hash_part, tail_part, u_ccode000, u_cserial0, s_ctitle00, p_ccode000, n_csize000,
        d_cday0000, r_cauthor0, find
    )
  where fence.generation = $1
    and t.id = r.id
    and cardinality($7::text[]) = (
      select count(*)
      from (
        select l.id
        from app.tbooks00 as l,
          unnest($7::text[], $11::text[], $12::text[]) as k(id, u_ccode000, u_cserial0)
        where l.id = k.id
          and ($6::text is null or l.created_by = $6)
          and (l.u_ccode000 = k.u_ccode000 or (l.u_ccode000 = any($11::text[])) is not true)
          and (l.u_cserial0 = k.u_cserial0 or (l.u_cserial0 = any($12::text[])) is not true)
        order by l.id
        for update of l
      ) as locked
    )
  returning t.id, t.rec
),
logged as (
  insert into app.activity (id, entry)
  select e.id, e.entry
  from unnest($19::uuid[], $20::text[], $21::text[]) as e(id, entry, subject_id)
  join changed on changed.id = e.subject_id
  returning id
)
select changed.*
from changed;
begin;
select id,
  case when octet_length(rec) <= 16384 then rec else octet_length(rec)::text || ' ' || id end,
  created_by
from app.tbooks00
where id = any($1::text[])
order by id
for update;
select generation from app.fence;
savepoint step;
update app.tbooks00 as t
set rec = r.rec, hash = r.hash, updated_at = r.updated_at, updated_by = r.updated_by,
  updated_name = r.updated_name, u_ccode000 = r.u_ccode000, u_cserial0 = r.u_cserial0,
  s_ctitle00 = r.s_ctitle00, p_ccode000 = r.p_ccode000, n_csize000 = r.n_csize000,
  d_cday0000 = r.d_cday0000, r_cauthor0 = r.r_cauthor0, find = r.find
from app.fence,
  unnest(
    $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::text[], $12::float8[], $13::date[], $14::text[], $15::text[]
  ) as r(
    id, rec, hash, updated_at, updated_by, updated_name, u_ccode000, u_cserial0, s_ctitle00,
      p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
  )
where fence.generation = $1
  and t.id = r.id
returning t.id;
savepoint step;
update app.tbooks00 as t
set rec = r.rec, hash = r.hash, updated_at = r.updated_at, updated_by = r.updated_by,
  updated_name = r.updated_name, u_ccode000 = r.u_ccode000, u_cserial0 = r.u_cserial0,
  s_ctitle00 = r.s_ctitle00, p_ccode000 = r.p_ccode000, n_csize000 = r.n_csize000,
  d_cday0000 = r.d_cday0000, r_cauthor0 = r.r_cauthor0, find = r.find
from app.fence,
  unnest(
    $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::text[], $12::float8[], $13::date[], $14::text[], $15::text[]
  ) as r(
    id, rec, hash, updated_at, updated_by, updated_name, u_ccode000, u_cserial0, s_ctitle00,
      p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
  )
where fence.generation = $1
  and t.id = r.id
returning t.id;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
commit;

-- update a batch with a long one: PUT tbooks00/records
begin;
select id,
  case when octet_length(rec) <= 16384 then rec else octet_length(rec)::text || ' ' || id end,
  created_by
from app.tbooks00
where id = any($1::text[])
order by id
for update;
select generation from app.fence;
copy (select id, rec from app.tbooks00 where id in ('{record}')) to stdout (format binary);
savepoint step;
update app.tbooks00 as t
set rec = r.rec, hash = r.hash, updated_at = r.updated_at, updated_by = r.updated_by,
  updated_name = r.updated_name, u_ccode000 = r.u_ccode000, u_cserial0 = r.u_cserial0,
  s_ctitle00 = r.s_ctitle00, p_ccode000 = r.p_ccode000, n_csize000 = r.n_csize000,
  d_cday0000 = r.d_cday0000, r_cauthor0 = r.r_cauthor0, find = r.find
from app.fence,
  unnest(
    $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::text[], $12::float8[], $13::date[], $14::text[], $15::text[]
  ) as r(
    id, rec, hash, updated_at, updated_by, updated_name, u_ccode000, u_cserial0, s_ctitle00,
      p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
  )
where fence.generation = $1
  and t.id = r.id
returning t.id;
savepoint step;
update app.tbooks00 as t
set rec = r.rec, hash = r.hash, updated_at = r.updated_at, updated_by = r.updated_by,
  updated_name = r.updated_name, u_ccode000 = r.u_ccode000, u_cserial0 = r.u_cserial0,
  s_ctitle00 = r.s_ctitle00, p_ccode000 = r.p_ccode000, n_csize000 = r.n_csize000,
  d_cday0000 = r.d_cday0000, r_cauthor0 = r.r_cauthor0, find = r.find
from app.fence,
  unnest(
    $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::text[], $12::float8[], $13::date[], $14::text[], $15::text[]
  ) as r(
    id, rec, hash, updated_at, updated_by, updated_name, u_ccode000, u_cserial0, s_ctitle00,
      p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
  )
where fence.generation = $1
  and t.id = r.id
returning t.id;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
commit;

-- upsert one that is new: PATCH tbooks00/records/upsert/ccode000
select case when octet_length(rec) <= 65536 then rec else octet_length(rec)::text || ' ' || id end
from app.tbooks00
where u_ccode000 = $1;
with changed as (
  insert into app.tbooks00 (
    id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at,
      u_ccode000, u_cserial0, s_ctitle00, p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
  )
  select $5, $6, $7, $8, $9, $2::timestamptz, $3, $4, $2::timestamptz, $10::text, $11::text,
    $12::text, $13::text, $14::float8, $15::date, $16::text, $17::text
  from app.fence
  where fence.generation = $1
  returning id
),
logged as (
  insert into app.activity (id, entry) select $18::uuid, $19::text from changed returning id
)
select changed.*
from changed;

-- upsert one that is there: PATCH tbooks00/records/upsert/ccode000
select case when octet_length(rec) <= 65536 then rec else octet_length(rec)::text || ' ' || id end
from app.tbooks00
where u_ccode000 = $1;
with changed as (
  update app.tbooks00 as t
  set rec = left(t.rec, strpos(t.rec, ',"timestamp":"') + 13) || case
    when t.hash = $3 then substr(t.rec, strpos(t.rec, ',"timestamp":"') + 14, 24)
    else greatest(
      substr(t.rec, strpos(t.rec, ',"timestamp":"') + 14, 24) collate "C",
        greatest(substr(t.rec, strpos(t.rec, ',"timestamp":"') + 89, 24) collate "C", $4::text)
    )
  end || $6::text || greatest(substr(t.rec, strpos(t.rec, ',"timestamp":"') + 89, 24) collate "C", $4::text) || $7::text,
    hash = $3, updated_at = greatest(t.updated_at, $5::timestamptz),
    updated_by = $10, updated_name = $11, u_ccode000 = $12::text, u_cserial0 = $13::text,
    s_ctitle00 = $14::text, p_ccode000 = $15::text, n_csize000 = $16::float8,
    d_cday0000 = $17::date, r_cauthor0 = $18::text, find = $19::text
  from app.fence
  where fence.generation = $1
    and t.id = $2
    and ($8::text is null or t.created_by = $8)
    and ($9::text is null or t.hash = $9)
  returning t.id, t.rec
),
logged as (
  insert into app.activity (id, entry) select $20::uuid, $21::text from changed returning id
)
select changed.*
from changed;

-- upsert a batch: PATCH tbooks00/records/upsert/ccode000
begin;
select case when octet_length(rec) <= 16384 then rec else octet_length(rec)::text || ' ' || id end,
  case when octet_length(rec) > 16384 then u_ccode000 end
from app.tbooks00
where u_ccode000 = any($1::text[])
order by id
for update;
select generation from app.fence;
savepoint step;
insert into app.tbooks00 (
  id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at,
    u_ccode000, u_cserial0, s_ctitle00, p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
)
select $5, $6, $7, $8, $9, $2::timestamptz, $3, $4, $2::timestamptz, $10::text, $11::text,
  $12::text, $13::text, $14::float8, $15::date, $16::text, $17::text
from app.fence
where fence.generation = $1
returning id;
savepoint step;
update app.tbooks00 as t
set rec = r.rec, hash = r.hash, updated_at = r.updated_at, updated_by = r.updated_by,
  updated_name = r.updated_name, u_ccode000 = r.u_ccode000, u_cserial0 = r.u_cserial0,
  s_ctitle00 = r.s_ctitle00, p_ccode000 = r.p_ccode000, n_csize000 = r.n_csize000,
  d_cday0000 = r.d_cday0000, r_cauthor0 = r.r_cauthor0, find = r.find
from app.fence,
  unnest(
    $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::text[], $12::float8[], $13::date[], $14::text[], $15::text[]
  ) as r(
    id, rec, hash, updated_at, updated_by, updated_name, u_ccode000, u_cserial0, s_ctitle00,
      p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
  )
where fence.generation = $1
  and t.id = r.id
returning t.id;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
commit;

-- upsert a batch that names a record twice: PATCH tbooks00/records/upsert/ccode000
begin;
select case when octet_length(rec) <= 16384 then rec else octet_length(rec)::text || ' ' || id end,
  case when octet_length(rec) > 16384 then u_ccode000 end
from app.tbooks00
where u_ccode000 = any($1::text[])
order by id
for update;
select generation from app.fence;
savepoint step;
insert into app.tbooks00 (
  id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at,
    u_ccode000, u_cserial0, s_ctitle00, p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
)
select $5, $6, $7, $8, $9, $2::timestamptz, $3, $4, $2::timestamptz, $10::text, $11::text,
  $12::text, $13::text, $14::float8, $15::date, $16::text, $17::text
from app.fence
where fence.generation = $1
returning id;
savepoint step;
update app.tbooks00 as t
set rec = r.rec, hash = r.hash, updated_at = r.updated_at, updated_by = r.updated_by,
  updated_name = r.updated_name, u_ccode000 = r.u_ccode000, u_cserial0 = r.u_cserial0,
  s_ctitle00 = r.s_ctitle00, p_ccode000 = r.p_ccode000, n_csize000 = r.n_csize000,
  d_cday0000 = r.d_cday0000, r_cauthor0 = r.r_cauthor0, find = r.find
from app.fence,
  unnest(
    $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::text[], $12::float8[], $13::date[], $14::text[], $15::text[]
  ) as r(
    id, rec, hash, updated_at, updated_by, updated_name, u_ccode000, u_cserial0, s_ctitle00,
      p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
  )
where fence.generation = $1
  and t.id = r.id
returning t.id;
savepoint step;
update app.tbooks00 as t
set rec = r.rec, hash = r.hash, updated_at = r.updated_at, updated_by = r.updated_by,
  updated_name = r.updated_name, u_ccode000 = r.u_ccode000, u_cserial0 = r.u_cserial0,
  s_ctitle00 = r.s_ctitle00, p_ccode000 = r.p_ccode000, n_csize000 = r.n_csize000,
  d_cday0000 = r.d_cday0000, r_cauthor0 = r.r_cauthor0, find = r.find
from app.fence,
  unnest(
    $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::text[], $12::float8[], $13::date[], $14::text[], $15::text[]
  ) as r(
    id, rec, hash, updated_at, updated_by, updated_name, u_ccode000, u_cserial0, s_ctitle00,
      p_ccode000, n_csize000, d_cday0000, r_cauthor0, find
  )
where fence.generation = $1
  and t.id = r.id
returning t.id;
insert into app.activity (id, entry)
select e.id, e.entry
from app.fence, unnest($1::uuid[], $2::text[]) as e(id, entry)
returning id;
commit;

-- delete one: DELETE tbooks00/records/{second-1}
with changed as (
  delete
  from app.tbooks00 as t
  using app.fence
  where fence.generation = $1
    and t.id = $2
    and ($3::text is null or t.created_by = $3)
    and ($4::text is null or t.hash = $4)
  returning t.id
),
logged as (insert into app.activity (id, entry) select $5::uuid, $6::text from changed returning id)
select changed.*
from changed;

-- delete one that is not there: DELETE tbooks00/records/{second-1}
with changed as (
  delete
  from app.tbooks00 as t
  using app.fence
  where fence.generation = $1
    and t.id = $2
    and ($3::text is null or t.created_by = $3)
    and ($4::text is null or t.hash = $4)
  returning t.id
),
logged as (insert into app.activity (id, entry) select $5::uuid, $6::text from changed returning id)
select changed.*
from changed;
select hash, created_by from app.tbooks00 where id = $1;
select generation from app.fence;

-- delete those that a search finds: DELETE tbooks00/records search=Title:new
select t.id
from app.tbooks00 t
where t.id > $1::text
  and (
    (
      t.find like $4::text
      and (strpos(split_part(split_part(t.find, $2::text, 2), chr(1), 1), $3::text) > 0)
    )
  )
order by id
limit 10000;
begin;
select t.id
from app.tbooks00 t
where t.id in (select json_array_elements_text($1::json))
  and (
    (
      t.find like $4::text
      and (strpos(split_part(split_part(t.find, $2::text, 2), chr(1), 1), $3::text) > 0)
    )
  )
order by t.id
for update of t;
with changed as (
  delete
  from app.tbooks00 as t
  using app.fence
  where fence.generation = $1
    and t.id = any($2::text[])
  returning t.id
),
logged as (insert into app.activity (id, entry) select $3::uuid, $4::text from changed returning id)
select changed.*
from changed;
commit;

-- delete those that one criterion finds by an index: DELETE tbooks00/records search=Code="p"
select t.id
from app.tbooks00 t
where t.id > $1::text
  and t.u_ccode000 = $2::text
order by id
limit 10000;
begin;
select t.id
from app.tbooks00 t
where t.id in (select json_array_elements_text($1::json))
  and t.u_ccode000 = $2::text
order by t.id
for update of t;
with changed as (
  delete
  from app.tbooks00 as t
  using app.fence
  where fence.generation = $1
    and t.id = any($2::text[])
  returning t.id
),
logged as (insert into app.activity (id, entry) select $3::uuid, $4::text from changed returning id)
select changed.*
from changed;
commit;
