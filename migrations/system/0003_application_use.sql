-- Requests to an application by the hour. refused: with a status from 400 to 499; failed: with one from 500.
create table cartulary.request_counts (
  application_id text collate "C" references cartulary.applications (id) on delete cascade,
  hour timestamptz,
  requests integer not null,
  refused integer not null,
  failed integer not null,
  primary key (application_id, hour)
);
create index request_counts_hour on cartulary.request_counts (hour);

-- What an application holds, as last measured. records is an estimate unless records_exact.
create table cartulary.application_sizes (
  application_id text collate "C" primary key references cartulary.applications (id) on delete cascade,
  records bigint not null,
  records_exact boolean not null,
  database_bytes bigint,
  attachments bigint not null,
  attachment_bytes bigint not null,
  measured_at timestamptz not null
);
