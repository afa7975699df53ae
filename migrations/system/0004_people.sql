-- Shared users (docs/architecture.md, "People").
-- *_folded: as searches compare it (domain/search/fold); null until store/applications/migrate has folded rows of earlier servers.
-- session_epoch, subject: as in an application's users.
-- The defaults stay for servers of the version before, which may still be writing (docs/operating.md, "Upgrades").
-- unsettled_since: since when it has changed in a way that its applications still have to follow; whoever sees to it
-- moves it ahead first, so that nobody else does meanwhile.
alter table cartulary.shared_users
  add column name_folded text collate "C",
  add column email_folded text collate "C",
  add column session_epoch integer not null default 0,
  add column subject text collate "C",
  add column deleted_at timestamptz,
  add column unsettled_since timestamptz;
alter table cartulary.shared_users drop constraint shared_users_name_key;
create unique index shared_users_name_key on cartulary.shared_users (organization, name) where deleted_at is null;
create unique index shared_users_subject_key on cartulary.shared_users (organization, subject) where deleted_at is null;
create index shared_users_email_folded on cartulary.shared_users (organization, email_folded) where deleted_at is null;
create index shared_users_unsettled on cartulary.shared_users (unsettled_since) where unsettled_since is not null;

-- sign_on_epoch: goes up when single sign-on is turned on or off, or another provider is set; sessions of before have ended.
alter table cartulary.organizations add column sign_on_epoch integer not null default 0;

-- Keys that all servers of this database share and that are made at the first start.
create table cartulary.server_keys (
  name text collate "C" primary key,
  value text not null,
  made_at timestamptz not null
);

-- Applications whose queue of notifications may hold something to deliver, and when to look. Noted before the queue is
-- written, so that nothing in it can be overlooked (operations/notifications/deliveries).
create table cartulary.due_notifications (
  application_id text collate "C" primary key,
  due_at timestamptz not null,
  noted_at timestamptz not null
);
create index due_notifications_due_at on cartulary.due_notifications (due_at);
