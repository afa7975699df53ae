-- Lists of records in each kind of order.

-- fill: POST tbooks00/records
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
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
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);

-- newest first: GET tbooks00/records
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
order by t.updated_at desc, t.id desc
limit 100;
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
order by t.updated_at desc, t.id desc
limit 100;
copy (select id, rec from app.tbooks00 where id in ('{record}')) to stdout (format binary);
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
commit;

-- a page further on: GET tbooks00/records skip=2&limit=2
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from (
  select t.updated_at as k0, t.id as k1
  from app.tbooks00 t
  where (select generation from app.fence) = $1::int
  order by t.updated_at desc, t.id desc
  limit 2 offset 2
) p
join app.tbooks00 t on t.id = p.k1
order by k0 desc, k1 desc;
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);

-- after a record: GET tbooks00/records after={A}&limit=2
select case when octet_length(rec) <= 65536 then rec else octet_length(rec)::text || ' ' || id end
from app.tbooks00
where id = $1
  and ($2::text is null or created_by = $2) /* planned once */;
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (t.updated_at, t.id) < ($2::timestamptz, $1::text)
order by t.updated_at desc, t.id desc
limit 2;
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (t.updated_at, t.id) < ($2::timestamptz, $1::text)
order by t.updated_at desc, t.id desc
limit 2;
copy (select id, rec from app.tbooks00 where id in ('{record}')) to stdout (format binary);
commit;

-- after a position: the page after GET tbooks00/records limit=2
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
order by t.updated_at desc, t.id desc
limit 2;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (t.updated_at, t.id) < ($2::timestamptz, $1::text)
order by t.updated_at desc, t.id desc
limit 2;
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);

-- by the name of the creator: GET tbooks00/records sortKey=createdBy&sortOrder=ascending&limit=2
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
order by t.created_name asc, t.id asc
limit 2;

-- by a number: GET tbooks00/records sortKey=column&sortColumnId=csize000&sortOrder=ascending&limit=2
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
order by t.n_csize000 asc nulls first, t.id asc
limit 2;

-- by a number, after a record that has none: the page after GET tbooks00/records sortKey=column&sortColumnId=csize000&sortOrder=ascending&limit=2
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
order by t.n_csize000 asc nulls first, t.id asc
limit 2;
select p.rec
from (
  (
    select case
      when octet_length(t.rec) <= 16384 then t.rec
      else octet_length(t.rec)::text || ' ' || t.id
    end as rec, t.n_csize000 as k0, t.id as k1
    from app.tbooks00 t
    where t.n_csize000 is null
      and t.id > $1::text
    order by t.n_csize000 asc nulls first, t.id asc
    limit 2
  )
  union all (
    select case
      when octet_length(t.rec) <= 16384 then t.rec
      else octet_length(t.rec)::text || ' ' || t.id
    end as rec, t.n_csize000 as k0, t.id as k1
    from app.tbooks00 t
    where t.n_csize000 is not null
    order by t.n_csize000 asc nulls first, t.id asc
    limit 2
  )
) p
order by k0 asc nulls first, k1 asc
limit 2;

-- by a number, after a record that has one: the page after GET tbooks00/records sortKey=column&sortColumnId=csize000&sortOrder=descending&limit=2
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
order by t.n_csize000 desc nulls last, t.id desc
limit 2;
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
select p.rec
from (
  (
    select case
      when octet_length(t.rec) <= 16384 then t.rec
      else octet_length(t.rec)::text || ' ' || t.id
    end as rec, t.n_csize000 as k0, t.id as k1
    from app.tbooks00 t
    where (t.n_csize000, t.id) < ($2::float8, $1::text)
    order by t.n_csize000 desc nulls last, t.id desc
    limit 2
  )
  union all (
    select case
      when octet_length(t.rec) <= 16384 then t.rec
      else octet_length(t.rec)::text || ' ' || t.id
    end as rec, t.n_csize000 as k0, t.id as k1
    from app.tbooks00 t
    where t.n_csize000 is null
    order by t.n_csize000 desc nulls last, t.id desc
    limit 2
  )
) p
order by k0 desc nulls last, k1 desc
limit 2;
begin isolation level repeatable read read only;
select p.rec
from (
  (
    select case
      when octet_length(t.rec) <= 16384 then t.rec
      else octet_length(t.rec)::text || ' ' || t.id
    end as rec, t.n_csize000 as k0, t.id as k1
    from app.tbooks00 t
    where (t.n_csize000, t.id) < ($2::float8, $1::text)
    order by t.n_csize000 desc nulls last, t.id desc
    limit 2
  )
  union all (
    select case
      when octet_length(t.rec) <= 16384 then t.rec
      else octet_length(t.rec)::text || ' ' || t.id
    end as rec, t.n_csize000 as k0, t.id as k1
    from app.tbooks00 t
    where t.n_csize000 is null
    order by t.n_csize000 desc nulls last, t.id desc
    limit 2
  )
) p
order by k0 desc nulls last, k1 desc
limit 2;
copy (select id, rec from app.tbooks00 where id in ('{record}')) to stdout (format binary);
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
commit;

-- by a text that may be cut: GET tbooks00/records sortKey=column&sortColumnId=ctitle00&sortOrder=ascending&limit=2
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec, case when octet_length(t.s_ctitle00) >= 600 then true end as cut
from app.tbooks00 t
order by t.s_ctitle00 asc nulls first, t.id asc
limit 2;

-- by a text of which one is cut: GET tbooks00/records sortKey=column&sortColumnId=ctitle00&sortOrder=descending&limit=2
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec, case when octet_length(t.s_ctitle00) >= 600 then true end as cut
from app.tbooks00 t
order by t.s_ctitle00 desc nulls last, t.id desc
limit 2;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (select generation from app.fence) = $1::int
order by t.s_ctitle00 desc nulls last,
  case
    when octet_length(t.s_ctitle00) >= 600 then (t.rec::json -> 'values' -> 'ctitle00' ->> 'value') collate "C"
  end desc, t.id desc
limit 2;
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec, case when octet_length(t.s_ctitle00) >= 600 then true end as cut
from app.tbooks00 t
order by t.s_ctitle00 desc nulls last, t.id desc
limit 2;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (select generation from app.fence) = $1::int
order by t.s_ctitle00 desc nulls last,
  case
    when octet_length(t.s_ctitle00) >= 600 then (t.rec::json -> 'values' -> 'ctitle00' ->> 'value') collate "C"
  end desc, t.id desc
limit 2;
copy (select id, rec from app.tbooks00 where id in ('{record}')) to stdout (format binary);
commit;

-- after a text that is cut: the page after GET tbooks00/records sortKey=column&sortColumnId=ctitle00&sortOrder=descending&limit=1
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec, case when octet_length(t.s_ctitle00) >= 600 then true end as cut
from app.tbooks00 t
order by t.s_ctitle00 desc nulls last, t.id desc
limit 1;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (select generation from app.fence) = $1::int
order by t.s_ctitle00 desc nulls last,
  case
    when octet_length(t.s_ctitle00) >= 600 then (t.rec::json -> 'values' -> 'ctitle00' ->> 'value') collate "C"
  end desc, t.id desc
limit 1;
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec, case when octet_length(t.s_ctitle00) >= 600 then true end as cut
from app.tbooks00 t
order by t.s_ctitle00 desc nulls last, t.id desc
limit 1;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (select generation from app.fence) = $1::int
order by t.s_ctitle00 desc nulls last,
  case
    when octet_length(t.s_ctitle00) >= 600 then (t.rec::json -> 'values' -> 'ctitle00' ->> 'value') collate "C"
  end desc, t.id desc
limit 1;
copy (select id, rec from app.tbooks00 where id in ('{record}')) to stdout (format binary);
commit;
select case when octet_length(rec) <= 65536 then rec else octet_length(rec)::text || ' ' || id end
from app.tbooks00
where id = $1
  and ($2::text is null or created_by = $2) /* planned once */;
copy (select id, rec from app.tbooks00 where id in ('{record}')) to stdout (format binary);
select p.rec, p.cut
from (
  (
    select case
      when octet_length(t.rec) <= 16384 then t.rec
      else octet_length(t.rec)::text || ' ' || t.id
    end as rec, case when octet_length(t.s_ctitle00) >= 600 then true end as cut,
      t.s_ctitle00 as k0, t.id as k1
    from app.tbooks00 t
    where (t.s_ctitle00, t.id) < ($2::text, $1::text)
    order by t.s_ctitle00 desc nulls last, t.id desc
    limit 1
  )
  union all (
    select case
      when octet_length(t.rec) <= 16384 then t.rec
      else octet_length(t.rec)::text || ' ' || t.id
    end as rec, case when octet_length(t.s_ctitle00) >= 600 then true end as cut,
      t.s_ctitle00 as k0, t.id as k1
    from app.tbooks00 t
    where t.s_ctitle00 is null
    order by t.s_ctitle00 desc nulls last, t.id desc
    limit 1
  )
) p
order by k0 desc nulls last, k1 desc
limit 1;
select p.rec
from (
  (
    select case
      when octet_length(t.rec) <= 16384 then t.rec
      else octet_length(t.rec)::text || ' ' || t.id
    end as rec, t.s_ctitle00 as k0,
      case
        when octet_length(t.s_ctitle00) >= 600 then (t.rec::json -> 'values' -> 'ctitle00' ->> 'value') collate "C"
      end as k1, t.id as k2
    from app.tbooks00 t
    where t.s_ctitle00 <= $3::text
      and (
        t.s_ctitle00 < $3::text
        or (
          t.s_ctitle00 = $3::text
          and (
            coalesce(
              case
                when octet_length(t.s_ctitle00) >= 600 then (t.rec::json -> 'values' -> 'ctitle00' ->> 'value') collate "C"
              end, ''
            ),
            t.id
          ) < ($4::text, $2::text)
        )
      )
      and (select generation from app.fence) = $1::int
    order by t.s_ctitle00 desc nulls last,
      case
        when octet_length(t.s_ctitle00) >= 600 then (t.rec::json -> 'values' -> 'ctitle00' ->> 'value') collate "C"
      end desc, t.id desc
    limit 1
  )
  union all (
    select case
      when octet_length(t.rec) <= 16384 then t.rec
      else octet_length(t.rec)::text || ' ' || t.id
    end as rec, t.s_ctitle00 as k0,
      case
        when octet_length(t.s_ctitle00) >= 600 then (t.rec::json -> 'values' -> 'ctitle00' ->> 'value') collate "C"
      end as k1, t.id as k2
    from app.tbooks00 t
    where t.s_ctitle00 is null
      and (select generation from app.fence) = $1::int
    order by t.s_ctitle00 desc nulls last,
      case
        when octet_length(t.s_ctitle00) >= 600 then (t.rec::json -> 'values' -> 'ctitle00' ->> 'value') collate "C"
      end desc, t.id desc
    limit 1
  )
) p
order by k0 desc nulls last, k1 desc, k2 desc
limit 1;

-- by a reference: GET tbooks00/records sortKey=column&sortColumnId=cauthor0&sortOrder=ascending&limit=2
begin isolation level repeatable read read only;
with one as materialized (
  select t.id, null::text collate "C" as k0, ''::text as k1
  from app.tbooks00 t
  where not exists (
    select from app.tauthors r where r.id = t.r_cauthor0 and r.s_caname00 is not null
  )
    and (select generation from app.fence) = $1::int
  order by t.id asc
  limit 2
),
two as materialized (
  select x.id, r.s_caname00 as k0,
    coalesce(
      case
        when octet_length(r.s_caname00) >= 600 then (r.rec::json -> 'values' -> 'caname00' ->> 'value') collate "C"
      end, ''
    ) as k1
  from app.tauthors r
  cross
  join lateral (
    select t.id
    from app.tbooks00 t
    where t.r_cauthor0 = r.id
      and (select generation from app.fence) = $1::int
    order by t.id asc
    limit 2
  ) x
  where r.s_caname00 is not null
  order by r.s_caname00 asc nulls first, k1 asc, x.id asc
  limit (select 2 - count(*) from one)
)
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from (
  select *
  from (select 1 as part, * from one union all select 2, * from two) a
  order by a.part, a.k0 asc, a.k1 collate "C" asc, a.id asc
  limit 2 offset 0
) p
join app.tbooks00 t on t.id = p.id
order by p.part, p.k0 asc, p.k1 collate "C" asc, p.id asc;
commit;

-- by a reference, after a record that has one: the page after GET tbooks00/records sortKey=column&sortColumnId=cauthor0&sortOrder=descending&limit=2
begin isolation level repeatable read read only;
with one as materialized (
  select x.id, r.s_caname00 as k0,
    coalesce(
      case
        when octet_length(r.s_caname00) >= 600 then (r.rec::json -> 'values' -> 'caname00' ->> 'value') collate "C"
      end, ''
    ) as k1
  from app.tauthors r
  cross
  join lateral (
    select t.id
    from app.tbooks00 t
    where t.r_cauthor0 = r.id
      and (select generation from app.fence) = $1::int
    order by t.id desc
    limit 2
  ) x
  where r.s_caname00 is not null
  order by r.s_caname00 desc nulls last, k1 desc, x.id desc
  limit 2
),
two as materialized (
  select t.id, null::text collate "C" as k0, ''::text as k1
  from app.tbooks00 t
  where not exists (
    select from app.tauthors r where r.id = t.r_cauthor0 and r.s_caname00 is not null
  )
    and (select generation from app.fence) = $1::int
  order by t.id desc
  limit (select 2 - count(*) from one)
)
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from (
  select *
  from (select 1 as part, * from one union all select 2, * from two) a
  order by a.part, a.k0 desc, a.k1 collate "C" desc, a.id desc
  limit 2 offset 0
) p
join app.tbooks00 t on t.id = p.id
order by p.part, p.k0 desc, p.k1 collate "C" desc, p.id desc;
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
commit;
begin isolation level repeatable read read only;
with one as materialized (
  select x.id, r.s_caname00 as k0,
    coalesce(
      case
        when octet_length(r.s_caname00) >= 600 then (r.rec::json -> 'values' -> 'caname00' ->> 'value') collate "C"
      end, ''
    ) as k1
  from app.tauthors r
  cross
  join lateral (
    select t.id
    from app.tbooks00 t
    where t.r_cauthor0 = r.id
      and (
        (
          r.s_caname00,
            coalesce(
              case
                when octet_length(r.s_caname00) >= 600 then (r.rec::json -> 'values' -> 'caname00' ->> 'value') collate "C"
              end, ''
            )
        ) <> ($2::text, $3::text)
        or t.id < $4::text
      )
      and (select generation from app.fence) = $1::int
    order by t.id desc
    limit 2
  ) x
  where r.s_caname00 is not null
    and r.s_caname00 <= $2::text
    and (
      r.s_caname00,
        coalesce(
          case
            when octet_length(r.s_caname00) >= 600 then (r.rec::json -> 'values' -> 'caname00' ->> 'value') collate "C"
          end, ''
        )
    ) <= ($2::text, $3::text)
  order by r.s_caname00 desc nulls last, k1 desc, x.id desc
  limit 2
),
two as materialized (
  select t.id, null::text collate "C" as k0, ''::text as k1
  from app.tbooks00 t
  where not exists (
    select from app.tauthors r where r.id = t.r_cauthor0 and r.s_caname00 is not null
  )
    and (select generation from app.fence) = $1::int
  order by t.id desc
  limit (select 2 - count(*) from one)
)
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from (
  select *
  from (select 1 as part, * from one union all select 2, * from two) a
  order by a.part, a.k0 desc, a.k1 collate "C" desc, a.id desc
  limit 2 offset 0
) p
join app.tbooks00 t on t.id = p.id
order by p.part, p.k0 desc, p.k1 collate "C" desc, p.id desc;
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
commit;

-- by a reference, after a record that has none: the page after GET tbooks00/records sortKey=column&sortColumnId=cauthor0&sortOrder=ascending&limit=2
begin isolation level repeatable read read only;
with one as materialized (
  select t.id, null::text collate "C" as k0, ''::text as k1
  from app.tbooks00 t
  where not exists (
    select from app.tauthors r where r.id = t.r_cauthor0 and r.s_caname00 is not null
  )
    and (select generation from app.fence) = $1::int
  order by t.id asc
  limit 2
),
two as materialized (
  select x.id, r.s_caname00 as k0,
    coalesce(
      case
        when octet_length(r.s_caname00) >= 600 then (r.rec::json -> 'values' -> 'caname00' ->> 'value') collate "C"
      end, ''
    ) as k1
  from app.tauthors r
  cross
  join lateral (
    select t.id
    from app.tbooks00 t
    where t.r_cauthor0 = r.id
      and (select generation from app.fence) = $1::int
    order by t.id asc
    limit 2
  ) x
  where r.s_caname00 is not null
  order by r.s_caname00 asc nulls first, k1 asc, x.id asc
  limit (select 2 - count(*) from one)
)
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from (
  select *
  from (select 1 as part, * from one union all select 2, * from two) a
  order by a.part, a.k0 asc, a.k1 collate "C" asc, a.id asc
  limit 2 offset 0
) p
join app.tbooks00 t on t.id = p.id
order by p.part, p.k0 asc, p.k1 collate "C" asc, p.id asc;
commit;
begin isolation level repeatable read read only;
with one as materialized (
  select t.id, null::text collate "C" as k0, ''::text as k1
  from app.tbooks00 t
  where not exists (
    select from app.tauthors r where r.id = t.r_cauthor0 and r.s_caname00 is not null
  )
    and t.id > $2::text
    and (select generation from app.fence) = $1::int
  order by t.id asc
  limit 2
),
two as materialized (
  select x.id, r.s_caname00 as k0,
    coalesce(
      case
        when octet_length(r.s_caname00) >= 600 then (r.rec::json -> 'values' -> 'caname00' ->> 'value') collate "C"
      end, ''
    ) as k1
  from app.tauthors r
  cross
  join lateral (
    select t.id
    from app.tbooks00 t
    where t.r_cauthor0 = r.id
      and (select generation from app.fence) = $1::int
    order by t.id asc
    limit 2
  ) x
  where r.s_caname00 is not null
  order by r.s_caname00 asc nulls first, k1 asc, x.id asc
  limit (select 2 - count(*) from one)
)
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from (
  select *
  from (select 1 as part, * from one union all select 2, * from two) a
  order by a.part, a.k0 asc, a.k1 collate "C" asc, a.id asc
  limit 2 offset 0
) p
join app.tbooks00 t on t.id = p.id
order by p.part, p.k0 asc, p.k1 collate "C" asc, p.id asc;
copy (select id, rec from app.tbooks00 where id in ('{record}')) to stdout (format binary);
commit;

-- by a reference, further on: GET tbooks00/records sortKey=column&sortColumnId=cauthor0&sortOrder=descending&skip=2&limit=2
begin isolation level repeatable read read only;
with one as materialized (
  select x.id, r.s_caname00 as k0,
    coalesce(
      case
        when octet_length(r.s_caname00) >= 600 then (r.rec::json -> 'values' -> 'caname00' ->> 'value') collate "C"
      end, ''
    ) as k1
  from app.tauthors r
  cross
  join lateral (
    select t.id
    from app.tbooks00 t
    where t.r_cauthor0 = r.id
      and (select generation from app.fence) = $1::int
    order by t.id desc
    limit 4
  ) x
  where r.s_caname00 is not null
  order by r.s_caname00 desc nulls last, k1 desc, x.id desc
  limit 4
),
two as materialized (
  select t.id, null::text collate "C" as k0, ''::text as k1
  from app.tbooks00 t
  where not exists (
    select from app.tauthors r where r.id = t.r_cauthor0 and r.s_caname00 is not null
  )
    and (select generation from app.fence) = $1::int
  order by t.id desc
  limit (select 4 - count(*) from one)
)
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from (
  select *
  from (select 1 as part, * from one union all select 2, * from two) a
  order by a.part, a.k0 desc, a.k1 collate "C" desc, a.id desc
  limit 2 offset 2
) p
join app.tbooks00 t on t.id = p.id
order by p.part, p.k0 desc, p.k1 collate "C" desc, p.id desc;
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
commit;

-- as a user who may only read what they created: GET tdiaries/records
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
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tdiaries t
where t.created_by = $1::text
order by t.updated_at desc, t.id desc
limit 100;
