-- Substrings are found with the help of trigrams (docs/architecture.md, "Searching").
create extension if not exists pg_trgm with schema cartulary;

-- generation: moves with every version, and when writers begin or cease to write what the next version needs.
-- preparing: that next definition, while tables are being prepared for it.
alter table cartulary.applications add column generation integer not null default 0;
update cartulary.applications set generation = version;
alter table cartulary.applications alter column generation drop default;
alter table cartulary.applications add column preparing text;

-- A publishing under way, or what is left to do of one that was interrupted. other: the definition besides the one that
-- stands, of which something may be there: the next one, or the former one when it is switched. The rest is for people.
create table cartulary.publishing (
  application_id text collate "C" primary key references cartulary.applications (id) on delete cascade,
  other text not null,
  switched boolean not null,
  step text not null,
  collection_id text collate "C",
  done integer not null,
  total integer not null,
  started_at timestamptz not null
);
