-- One row. generation: the generation of the definition that writers must use (docs/architecture/publishing.md).
-- migration: the last migration applied to this schema.
create table {{application}}.fence (
  generation integer not null,
  migration integer not null
);

-- Users are never removed, because records name them. Names are unique among users that are not deleted.
-- email: for a shared user a copy, for lists and searches; authentication reads the shared user itself.
-- *_folded: the text as searches compare it (domain/search/fold).
-- session_epoch: raised with every password change and disabling; ends the sessions of earlier epochs.
-- subject: the user at the organization's single sign-on provider, `<issuer> <sub>`.
create table {{application}}.users (
  id text collate "C" primary key,
  name text collate "C" not null,
  name_folded text collate "C" not null,
  email text collate "C",
  email_folded text collate "C" not null,
  password_hash text,
  session_epoch integer not null,
  subject text collate "C",
  login_failed_at timestamptz,
  admin boolean not null,
  api_access boolean not null,
  management_api_access boolean not null,
  organization_management_api_access boolean not null,
  profile text collate "C" not null,
  profile_folded text collate "C" not null,
  team text collate "C",
  team_folded text collate "C" not null,
  team_leader boolean,
  disabled boolean not null,
  shared_user_id text collate "C",
  created_at timestamptz not null,
  deleted_at timestamptz
);
create unique index users_name_key on {{application}}.users (name) where deleted_at is null;
create unique index users_shared_user_id_key on {{application}}.users (shared_user_id) where deleted_at is null;
create unique index users_subject_key on {{application}}.users (subject) where deleted_at is null;
create index users_email_folded on {{application}}.users (email_folded) where deleted_at is null;

create table {{application}}.tokens (
  id text collate "C" primary key,
  user_id text collate "C" not null references {{application}}.users (id),
  name text not null,
  secret_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index tokens_user_id on {{application}}.tokens (user_id);

-- Sessions of the console. method: password or singleSignOn. former_hash: the secret before the last rotation, accepted
-- until the client has shown the new one (confirmed) and for a while after that.
-- epoch: the epochs of the user, of the shared user and of the organization's sign-on method when the session was opened
-- (domain/people/sessions).
create table {{application}}.sessions (
  id text collate "C" primary key,
  user_id text collate "C" not null references {{application}}.users (id),
  method text collate "C" not null,
  epoch text collate "C" not null,
  secret_hash bytea not null,
  former_hash bytea,
  confirmed boolean not null,
  created_at timestamptz not null,
  rotated_at timestamptz not null,
  expires_at timestamptz not null,
  ip text not null,
  agent text not null
);
create index sessions_user_id on {{application}}.sessions (user_id);
create index sessions_expires_at on {{application}}.sessions (expires_at);

-- Single sign-ons that were sent to the provider and have not come back. browser_hash binds one to the browser that
-- started it. former_session: the browser's session at that time, which ends when the new one is opened.
create table {{application}}.sign_ons (
  state_hash bytea primary key,
  browser_hash bytea not null,
  nonce text not null,
  verifier text not null,
  return_to text not null,
  former_session text collate "C",
  expires_at timestamptz not null
);
create index sign_ons_expires_at on {{application}}.sign_ons (expires_at);

-- epoch: of the user and the shared user. A reset mailed before the sessions of a user were ended is void.
-- address_hash: of the address it was mailed to. The reset is valid while that is the user's address.
create table {{application}}.password_resets (
  token_hash bytea primary key,
  user_id text collate "C" not null references {{application}}.users (id),
  epoch text collate "C" not null,
  address_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index password_resets_user_id on {{application}}.password_resets (user_id);

-- Devices that receive a user's notifications. address: the push service's URL of a browser, or the token of a phone.
-- session_id, token_id: the credentials that registered the device; both null for a password.
-- epoch: of the user and the shared user. A device registered with a token is valid while the token is, every
-- other device while its epoch equals the account's.
create table {{application}}.devices (
  id text collate "C" primary key,
  user_id text collate "C" not null references {{application}}.users (id),
  session_id text collate "C",
  token_id text collate "C",
  epoch text collate "C" not null,
  transport text collate "C" not null,
  address text not null,
  address_hash bytea not null,
  keys text,
  name text not null,
  created_at timestamptz not null
);
create unique index devices_address_key on {{application}}.devices (transport, address_hash);
create index devices_user_id on {{application}}.devices (user_id);

-- message: title, body, url and sound as JSON.
create table {{application}}.notifications (
  id uuid primary key,
  user_id text collate "C" not null,
  created_by text collate "C" not null,
  message text not null,
  created_at timestamptz not null
);

-- The queue: one row for each device that a notification goes to. state: waiting, delivered, failed, gone.
-- due_at: the next attempt. A node that attempts it first moves the time ahead, so that no other node does.
create table {{application}}.deliveries (
  notification_id uuid not null references {{application}}.notifications (id) on delete cascade,
  device_id text collate "C" not null,
  state text collate "C" not null,
  attempts integer not null,
  due_at timestamptz not null,
  problem text,
  finished_at timestamptz,
  primary key (notification_id, device_id)
);
create index deliveries_due_at on {{application}}.deliveries (due_at) where state = 'waiting';
create index deliveries_finished_at on {{application}}.deliveries (finished_at) where state <> 'waiting';

-- One row for each attachment, from before its first byte until after its last (docs/architecture/attachments.md).
-- state: pending (bytes are still to come), available, removing (no longer found; bytes and row are about to be
--   deleted), missing (its bytes were found to be gone).
-- size: the bytes stored, or announced. hash: their SHA-256 in hex, once they are stored.
-- node: the node that is receiving bytes, while it does. pieces: the parts received of an announced upload, as JSON,
--   until they are joined and removed; null for an upload in one request.
-- free_since: since when no record is known to hold it; null while a record may.
create table {{application}}.attachments (
  id text collate "C" primary key,
  collection_id text collate "C" not null,
  name text not null,
  content_type text not null,
  size bigint,
  hash text collate "C",
  state text collate "C" not null,
  created_by text collate "C" not null,
  created_at timestamptz not null,
  uploaded_at timestamptz,
  node text collate "C",
  pieces text,
  received bigint not null,
  expires_at timestamptz,
  free_since timestamptz
);
create index attachments_unfinished on {{application}}.attachments (id)
  where state <> 'available' or pieces is not null;

-- The activity log, one partition for each month (store/activity/months). id: a UUIDv7 of the entry's own millisecond, so
-- that the key orders by time. entry: the finished JSON line. activity_rest: entries of months without a partition.
create table {{application}}.activity (
  id uuid primary key,
  entry text not null
) partition by range (id);
create table {{application}}.activity_rest partition of {{application}}.activity default;

-- Requests of each quota group in the current clock hour (docs/architecture/nodes.md).
-- since: when the count of this hour began. A lease can be returned only to the count that it was taken from.
-- taken: admitted, or leased to a node. granted: the size of the latest lease.
create table {{application}}.quotas (
  quota_group text collate "C" primary key,
  since timestamptz not null,
  taken integer not null,
  granted integer not null
);
