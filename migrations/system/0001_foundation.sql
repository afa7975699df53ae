-- Tables of the server as a whole. The tables of one application are in its own schema (migrations/application).

-- Finds substrings through trigram indexes (docs/architecture/search.md).
create extension if not exists pg_trgm with schema cartulary;

-- sign_on_epoch: raised when single sign-on is turned on or off or gets another provider; ends the sessions opened before.
create table cartulary.organizations (
  name text collate "C" primary key,
  single_sign_on text,
  sign_on_epoch integer not null default 0
);

-- definition: the publish document with every identifier and default filled in, as JSON text.
-- generation: raised with every version, and when writers start or stop writing columns that only the next version needs.
-- preparing: the next definition, while tables are prepared for it.
create table cartulary.applications (
  id text collate "C" primary key,
  organization text collate "C" not null references cartulary.organizations (name),
  version integer not null,
  generation integer not null,
  definition text not null,
  preparing text,
  published_at timestamptz not null
);

-- A publish that is running or was interrupted. other: the definition besides the stored one for which tables may hold
-- something: the next one, or the former one once switched is true. The remaining columns are shown to the operator.
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

-- Removed applications whose files are still to be deleted. tried_at: when a node last worked on it.
create table cartulary.erasures (
  application_id text collate "C" primary key,
  noted_at timestamptz not null,
  tried_at timestamptz
);

-- When a job that one node runs for all nodes was last started.
create table cartulary.job_rounds (
  job text collate "C" primary key,
  begun_at timestamptz not null
);

-- Shared users (docs/architecture/people.md).
-- *_folded: the text as searches compare it (domain/search/fold).
-- session_epoch, subject: as in an application's users.
-- unsettled_since: since when applications have a change of this user to copy. A node that copies it first moves the
-- time ahead, so that no other node does the same work.
create table cartulary.shared_users (
  id text collate "C" primary key,
  organization text collate "C" not null references cartulary.organizations (name),
  name text collate "C" not null,
  name_folded text collate "C" not null,
  email text collate "C" not null,
  email_folded text collate "C" not null,
  password_hash text,
  session_epoch integer not null,
  subject text collate "C",
  disabled boolean not null,
  created_at timestamptz not null,
  deleted_at timestamptz,
  unsettled_since timestamptz
);
create unique index shared_users_name_key on cartulary.shared_users (organization, name) where deleted_at is null;
create unique index shared_users_subject_key on cartulary.shared_users (organization, subject) where deleted_at is null;
create index shared_users_email_folded on cartulary.shared_users (organization, email_folded) where deleted_at is null;
create index shared_users_unsettled on cartulary.shared_users (unsettled_since) where unsettled_since is not null;

-- Keys that all nodes of this database share, made at the first start.
create table cartulary.server_keys (
  name text collate "C" primary key,
  value text not null,
  made_at timestamptz not null
);

-- Applications whose notification queue may hold deliveries. due_at: when to look at the queue. noted_at: when the
-- application was last marked. Marked before a notification is queued, so that no delivery is missed (store/notifications/due).
create table cartulary.due_notifications (
  application_id text collate "C" primary key,
  due_at timestamptz not null,
  noted_at timestamptz not null
);
create index due_notifications_due_at on cartulary.due_notifications (due_at);
