-- Applications that were removed, and whose bytes are still to be. tried_at: when a server last worked on it.
create table cartulary.erasures (
  application_id text collate "C" primary key,
  noted_at timestamptz not null,
  tried_at timestamptz
);

-- When a job that one server does for all was begun last.
create table cartulary.job_rounds (
  job text collate "C" primary key,
  begun_at timestamptz not null
);
