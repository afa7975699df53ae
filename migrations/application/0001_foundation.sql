-- One row: the version of the definition that writers must have been prepared for (docs/architecture.md, "The fence"),
-- and how far this schema has been migrated.
create table {{application}}.fence (
  version integer not null,
  migration integer not null
);

-- Users are never removed: records go on naming them. Names are unique among those that are not deleted.
create table {{application}}.users (
  id text collate "C" primary key,
  name text collate "C" not null,
  email text collate "C",
  password_hash text,
  admin boolean not null,
  api_access boolean not null,
  management_api_access boolean not null,
  organization_management_api_access boolean not null,
  profile text collate "C" not null,
  team text collate "C",
  team_leader boolean,
  disabled boolean not null,
  shared_user_id text collate "C",
  created_at timestamptz not null,
  deleted_at timestamptz
);
create unique index users_name_key on {{application}}.users (name) where deleted_at is null;
create unique index users_shared_user_id_key on {{application}}.users (shared_user_id) where deleted_at is null;

create table {{application}}.tokens (
  id text collate "C" primary key,
  user_id text collate "C" not null references {{application}}.users (id),
  name text not null,
  secret_hash bytea not null,
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index tokens_user_id on {{application}}.tokens (user_id);

-- id: a UUIDv7 of the entry's own millisecond, so that the key is the order of time. entry: the finished JSON line.
create table {{application}}.activity (
  id uuid primary key,
  entry text not null
);
