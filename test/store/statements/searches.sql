-- Lists of what a search finds. The conditions themselves, for every type and operator, stand in test/search/golden.

-- equal to a unique text: GET tbooks00/records search=Code="a"
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where t.u_ccode000 = $1::text
order by t.updated_at desc, t.id desc
limit 100;
commit;

-- equal to a number: GET tbooks00/records search=Size=1
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where t.n_csize000 = $1::float8
  and (select generation from app.fence) = $2::int
order by t.updated_at desc, t.id desc
limit 100;
copy (select id, rec from app.tbooks00 where id in ('{record}')) to stdout (format binary);
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
commit;

-- contains: GET tbooks00/records search=Title:first
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (
  (
    t.find like $3::text
    and (strpos(split_part(split_part(t.find, $1::text, 2), chr(1), 1), $2::text) > 0)
  )
)
  and (select generation from app.fence) = $4::int
order by t.updated_at desc, t.id desc
limit 100;
select generation from app.fence;
commit;

-- contains, anywhere: GET tbooks00/records search=first
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (
  (t.find like $1::text)
  or (t.r_cauthor0 = any (array(select tr.id from app.tauthors tr where (tr.find like $1::text))))
)
  and (select generation from app.fence) = $2::int
order by t.updated_at desc, t.id desc
limit 100;
select generation from app.fence;
commit;

-- and: GET tbooks00/records search=Title:first AND Size>0
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (
  (
    (
      t.find like $3::text
      and (strpos(split_part(split_part(t.find, $1::text, 2), chr(1), 1), $2::text) > 0)
    )
  )
  and t.n_csize000 > $4::float8
)
  and (select generation from app.fence) = $5::int
order by t.updated_at desc, t.id desc
limit 100;
select generation from app.fence;
commit;

-- or: GET tbooks00/records search=Title:first OR Size>0
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (
  (
    (
      t.find like $3::text
      and (strpos(split_part(split_part(t.find, $1::text, 2), chr(1), 1), $2::text) > 0)
    )
  )
  or t.n_csize000 > $4::float8
)
  and (select generation from app.fence) = $5::int
order by t.updated_at desc, t.id desc
limit 100;
copy (select id, rec from app.tbooks00 where id in ('{record}')) to stdout (format binary);
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
commit;

-- not: GET tbooks00/records search=NOT Title:first
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (
  (
    (
      t.find like $3::text
      and (strpos(split_part(split_part(t.find, $1::text, 2), chr(1), 1), $2::text) > 0)
    )
  ) is not true
)
  and (select generation from app.fence) = $4::int
order by t.updated_at desc, t.id desc
limit 100;
copy (select id, rec from app.tbooks00 where id in ('{record}')) to stdout (format binary);
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
commit;

-- a day: GET tbooks00/records search=Day=today
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (t.d_cday0000 >= $1::date and t.d_cday0000 < $2::date)
  and (select generation from app.fence) = $3::int
order by t.updated_at desc, t.id desc
limit 100;
select generation from app.fence;
commit;

-- a referred value: GET tbooks00/records search=Author:ann
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (t.r_cauthor0 = any (array(select tr.id from app.tauthors tr where (tr.find like $1::text))))
  and (select generation from app.fence) = $2::int
order by t.updated_at desc, t.id desc
limit 100;
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
commit;

-- a page further on: GET tbooks00/records search=Title:first&skip=1
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from (
  select t.updated_at as k0, t.id as k1
  from app.tbooks00 t
  where (
    (
      t.find like $3::text
      and (strpos(split_part(split_part(t.find, $1::text, 2), chr(1), 1), $2::text) > 0)
    )
  )
    and (select generation from app.fence) = $4::int
  order by t.updated_at desc, t.id desc
  limit 100 offset 1
) p
join app.tbooks00 t on t.id = p.k1
order by k0 desc, k1 desc;
select generation from app.fence;
commit;

-- after a position: the page after GET tbooks00/records search=Size>=0&limit=1
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where t.n_csize000 >= $1::float8
  and (select generation from app.fence) = $2::int
order by t.updated_at desc, t.id desc
limit 1;
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
commit;
begin isolation level repeatable read read only;
select case
  when octet_length(t.rec) <= 16384 then t.rec
  else octet_length(t.rec)::text || ' ' || t.id
end as rec
from app.tbooks00 t
where (t.updated_at, t.id) < ($4::timestamptz, $3::text)
  and t.n_csize000 >= $1::float8
  and (select generation from app.fence) = $2::int
order by t.updated_at desc, t.id desc
limit 1;
select id, hash
from app.tauthors
where id = any($1::text[])
  and ($2::text is null or created_by = $2);
commit;
