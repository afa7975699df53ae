-- Applications that were removed, and whose bytes are still to be.
create table cartulary.erasures (
  application_id text collate "C" primary key,
  noted_at timestamptz not null
);
