-- People (docs/architecture.md, "People").
-- email: of a shared user a copy, for lists and searches; what authentication asks is the shared user itself.
-- *_folded: as searches compare it (domain/search/fold); of the rows that are there already store/applications/layouts folds it.
-- session_epoch: goes up with every password change and disabling, and ends the sessions of the epochs before.
-- The defaults stay for servers of the version before, which may still be writing (docs/operating.md, "Upgrades").
-- subject: who the user is at the organization's provider of single sign-on, `<issuer> <sub>`.
alter table {{application}}.users
  add column email_folded text collate "C" not null default '',
  add column profile_folded text collate "C" not null default '',
  add column team_folded text collate "C" not null default '',
  add column session_epoch integer not null default 0,
  add column subject text collate "C",
  add column login_failed_at timestamptz;
create unique index users_subject_key on {{application}}.users (subject) where deleted_at is null;
create index users_email_folded on {{application}}.users (email_folded) where deleted_at is null;

alter table {{application}}.tokens
  add column expires_at timestamptz,
  add column last_used_at timestamptz;

-- Sessions of the console. method: password or singleSignOn. former_hash: the secret before the last rotation, which
-- is still taken until the client has shown that it has the new one (confirmed) and a while longer.
-- epoch: of the user and, behind a dot, of the shared user, when it was opened, and of how the
-- organization signs in (domain/people/session-epochs).
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

-- Single sign-ons under way: sent to the provider and not back yet. browser_hash binds it to the browser that began.
-- former_session: the one that the browser had then, which ends when another is opened.
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

-- epoch: of the user and the shared user; whatever ends all sessions of a user voids what was mailed before.
-- address_hash: of the address that it was mailed to; it counts while that is the user's.
create table {{application}}.password_resets (
  token_hash bytea primary key,
  user_id text collate "C" not null references {{application}}.users (id),
  epoch text collate "C" not null,
  address_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index password_resets_user_id on {{application}}.password_resets (user_id);

-- Devices that take a user's notifications. address: the push service's address of a browser, or the token of a phone.
-- session_id, token_id: by what its user was known when it was registered; both null for a password.
-- epoch: of the user and the shared user; a device of a token counts while the token does, every other while its
-- epoch is the account's.
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

-- One row for each device that a notification goes to: the queue. state: waiting, delivered, failed, gone.
-- due_at: when it is tried next; a server that tries it moves that ahead first, so that no other does meanwhile.
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
