-- Figures over records: of all that a search finds, and of groups.

-- a count: GET tbooks00/records/figures
select count(*)::float8
from app.tbooks00 t
where (select generation from app.fence) = $1::int having count(*) > 0;

-- a sum and an average of what a search finds: GET tbooks00/records/figures search=Title:first&measure=sum:csize000,average:csize000
select sum(t.n_csize000::text::numeric) || '/' || count(t.n_csize000),
  sum(t.n_csize000::text::numeric) || '/' || count(t.n_csize000)
from app.tbooks00 t
where (
  (
    t.find like $3::text
    and (strpos(split_part(split_part(t.find, $1::text, 2), chr(1), 1), $2::text) > 0)
  )
)
  and (select generation from app.fence) = $4::int having count(*) > 0;
select generation from app.fence;

-- extremes of a column that is not searchable: GET tbooks00/records/figures measure=minimum:cserial0,maximum:cserial0
select min(m.cserial0::float8), max(m.cserial0::float8)
from app.tbooks00 t
cross
join lateral (
  select nullif(
    split_part(split_part(t.rec, '"cserial0":{"type":"Number","value":', 2), '}', 1), ''
  ) as cserial0 offset 0
) m
where (select generation from app.fence) = $1::int having count(*) > 0;

-- by a text that may be cut: GET tbooks00/records/figures groupBy=ccode000
select p.place::int, coalesce(p.bytes, 0) <= 2097152, p.value,
  case
    when p.digest is not null
    and coalesce(p.bytes, 0) <= 2097152 then (
      select (t.rec::json -> 'values' -> 'ccode000' ->> 'value') collate "C"
      from app.tbooks00 t
      where t.id = p.sample
    )
  end as addition, p.m0
from (
  select g.*, row_number() over (order by n desc, value nulls first, digest nulls first) as place,
    sum(
      coalesce(split_part(g.digest, ' ', 1)::int, octet_length(g.value))
    ) over (order by n desc, value nulls first, digest nulls first) as bytes
  from (
    select t.p_ccode000 as value,
      case
        when octet_length(t.p_ccode000) >= 32 then (
          select octet_length(w) || ' ' || encode(sha256(convert_to(w, 'UTF8')), 'hex')
          from (
            select case when cut = rest then left(rest, -4) else cut end as w
            from (
              select rest, split_part(rest, '"},"', 1) as cut
              from (
                select split_part(t.rec, '"ccode000":{"type":"String","value":"', 2) as rest offset 0
              ) r offset 0
            ) c offset 0
          ) s
        )
      end as digest, min(t.id) as sample, count(*) as n, count(*)::float8 as m0
    from app.tbooks00 t
    where (select generation from app.fence) = $1::int
    group by value, digest
    order by n desc, value nulls first, digest nulls first
    limit 1001
  ) g
) p
order by p.value nulls first, addition;

-- by a number: GET tbooks00/records/figures groupBy=csize000&measure=count,sum:cserial0
select p.place::int, true, p.value, null as addition, p.m0, p.m1
from (
  select g.*, row_number() over (order by n desc, value nulls first) as place
  from (
    select t.n_csize000 as value, count(*) as n, count(*)::float8 as m0,
      sum(m.cserial0::numeric) || '/' || count(m.cserial0::float8) as m1
    from app.tbooks00 t
    cross
    join lateral (
      select nullif(
        split_part(split_part(t.rec, '"cserial0":{"type":"Number","value":', 2), '}', 1), ''
      ) as cserial0 offset 0
    ) m
    where (select generation from app.fence) = $1::int
    group by value
    order by n desc, value nulls first
    limit 1001
  ) g
) p
order by p.value nulls first;

-- by months of a date: GET tbooks00/records/figures groupBy=cday0000:month
select p.place::int, true, p.value, null as addition, p.m0
from (
  select g.*, row_number() over (order by n desc, value nulls first) as place
  from (
    select date_trunc('month', t.d_cday0000::timestamp)::date - date '1970-01-01' as value,
      count(*) as n, count(*)::float8 as m0
    from app.tbooks00 t
    where (select generation from app.fence) = $1::int
    group by value
    order by n desc, value nulls first
    limit 1001
  ) g
) p
order by p.value nulls first;

-- by weeks of a time: GET tbooks00/records/figures groupBy=createdAt:week&timezone=Europe/Berlin
select p.place::int, true, p.value, null as addition, p.m0
from (
  select g.*, row_number() over (order by n desc, value nulls first) as place
  from (
    select date_trunc('week', t.created_at at time zone $1::text)::date - date '1970-01-01' as value,
      count(*) as n, count(*)::float8 as m0
    from app.tbooks00 t
    where (select generation from app.fence) = $2::int
    group by value
    order by n desc, value nulls first
    limit 1001
  ) g
) p
order by p.value nulls first;

-- by users: GET tbooks00/records/figures groupBy=createdBy
select p.place::int, true, p.value, p.name as addition, p.m0
from (
  select g.*, row_number() over (order by n desc, name nulls first, value nulls first) as place
  from (
    select t.created_by as value, min(t.created_name) as name, count(*) as n, count(*)::float8 as m0
    from app.tbooks00 t
    where (select generation from app.fence) = $1::int
    group by value
    order by n desc, name nulls first, value nulls first
    limit 1001
  ) g
) p
order by p.name nulls first, p.value;

-- as a user who may only read what they created: GET tdiaries/records/figures
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
select count(*)::float8
from app.tdiaries t
where t.created_by = $1::text
  and (select generation from app.fence) = $2::int having count(*) > 0;
select generation from app.fence;
