-- The tables that the migrations make: the system schema, and the schema of one application without collections.
-- Read from the catalogs by test/support/schema-dump.ts, never loaded and never edited by hand. The test
-- test/operator/migrations.test.ts fails when it is out of date and rewrites it with CARTULARY_TEST_WRITE_SCHEMA=1.

create schema cartulary;

create table cartulary.application_sizes (
  application_id text collate "C" not null,
  records bigint not null,
  records_exact boolean not null,
  database_bytes bigint,
  attachments bigint not null,
  attachment_bytes bigint not null,
  measured_at timestamp with time zone not null,
  constraint application_sizes_pkey PRIMARY KEY (application_id),
  constraint application_sizes_application_id_fkey FOREIGN KEY (application_id) REFERENCES cartulary.applications(id) ON DELETE CASCADE
);

create table cartulary.applications (
  id text collate "C" not null,
  organization text collate "C" not null,
  version integer not null,
  generation integer not null,
  definition text not null,
  preparing text,
  published_at timestamp with time zone not null,
  migration integer,
  constraint applications_pkey PRIMARY KEY (id),
  constraint applications_organization_fkey FOREIGN KEY (organization) REFERENCES cartulary.organizations(name)
);

create table cartulary.due_notifications (
  application_id text collate "C" not null,
  due_at timestamp with time zone not null,
  noted_at timestamp with time zone not null,
  constraint due_notifications_pkey PRIMARY KEY (application_id)
);
CREATE INDEX due_notifications_due_at ON cartulary.due_notifications USING btree (due_at);

create table cartulary.erasures (
  application_id text collate "C" not null,
  noted_at timestamp with time zone not null,
  tried_at timestamp with time zone,
  constraint erasures_pkey PRIMARY KEY (application_id)
);

create table cartulary.job_rounds (
  job text collate "C" not null,
  begun_at timestamp with time zone not null,
  constraint job_rounds_pkey PRIMARY KEY (job)
);

create table cartulary.migrations (
  number integer not null,
  name text not null,
  constraint migrations_pkey PRIMARY KEY (number)
);

create table cartulary.operators (
  application_id text collate "C" not null,
  user_id text collate "C" not null,
  shared_user_id text collate "C",
  named_at timestamp with time zone not null,
  constraint operators_pkey PRIMARY KEY (application_id, user_id),
  constraint operators_application_id_fkey FOREIGN KEY (application_id) REFERENCES cartulary.applications(id) ON DELETE CASCADE
);

create table cartulary.organizations (
  name text collate "C" not null,
  single_sign_on text,
  sign_on_epoch integer not null default 0,
  constraint organizations_pkey PRIMARY KEY (name)
);

create table cartulary.publishing (
  application_id text collate "C" not null,
  other text not null,
  switched boolean not null,
  step text not null,
  collection_id text collate "C",
  done integer not null,
  total integer not null,
  started_at timestamp with time zone not null,
  constraint publishing_pkey PRIMARY KEY (application_id),
  constraint publishing_application_id_fkey FOREIGN KEY (application_id) REFERENCES cartulary.applications(id) ON DELETE CASCADE
);

create table cartulary.request_counts (
  application_id text collate "C" not null,
  hour timestamp with time zone not null,
  requests integer not null,
  refused integer not null,
  failed integer not null,
  constraint request_counts_pkey PRIMARY KEY (application_id, hour),
  constraint request_counts_application_id_fkey FOREIGN KEY (application_id) REFERENCES cartulary.applications(id) ON DELETE CASCADE
);
CREATE INDEX request_counts_hour ON cartulary.request_counts USING btree (hour);

create table cartulary.server_keys (
  name text collate "C" not null,
  value text not null,
  made_at timestamp with time zone not null,
  constraint server_keys_pkey PRIMARY KEY (name)
);

create table cartulary.shared_users (
  id text collate "C" not null,
  organization text collate "C" not null,
  name text collate "C" not null,
  name_folded text collate "C" not null,
  email text collate "C" not null,
  email_folded text collate "C" not null,
  password_hash text,
  session_epoch integer not null,
  subject text collate "C",
  disabled boolean not null,
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  unsettled_since timestamp with time zone,
  constraint shared_users_pkey PRIMARY KEY (id),
  constraint shared_users_organization_fkey FOREIGN KEY (organization) REFERENCES cartulary.organizations(name)
);
CREATE INDEX shared_users_email_folded ON cartulary.shared_users USING btree (organization, email_folded) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX shared_users_name_key ON cartulary.shared_users USING btree (organization, name) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX shared_users_subject_key ON cartulary.shared_users USING btree (organization, subject) WHERE (deleted_at IS NULL);
CREATE INDEX shared_users_unsettled ON cartulary.shared_users USING btree (unsettled_since) WHERE (unsettled_since IS NOT NULL);

create table cartulary.walks (
  job text collate "C" not null,
  position text collate "C" not null,
  constraint walks_pkey PRIMARY KEY (job)
);

create schema application;

create table application.activity (
  id uuid not null,
  entry text not null,
  constraint activity_pkey PRIMARY KEY (id)
) partition by RANGE (id);

create table application.activity_rest (
  id uuid not null,
  entry text not null,
  constraint activity_rest_pkey PRIMARY KEY (id)
), partition of application.activity DEFAULT;

create table application.attachments (
  id text collate "C" not null,
  collection_id text collate "C" not null,
  name text not null,
  content_type text not null,
  size bigint,
  hash text collate "C",
  state text collate "C" not null,
  created_by text collate "C" not null,
  created_at timestamp with time zone not null,
  uploaded_at timestamp with time zone,
  node text collate "C",
  pieces text,
  received bigint not null,
  expires_at timestamp with time zone,
  free_since timestamp with time zone,
  constraint attachments_pkey PRIMARY KEY (id)
);
CREATE INDEX attachments_unfinished ON application.attachments USING btree (id) WHERE ((state <> 'available'::text) OR (pieces IS NOT NULL));

create table application.deliveries (
  notification_id uuid not null,
  device_id text collate "C" not null,
  state text collate "C" not null,
  attempts integer not null,
  due_at timestamp with time zone not null,
  problem text,
  finished_at timestamp with time zone,
  constraint deliveries_pkey PRIMARY KEY (notification_id, device_id),
  constraint deliveries_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES application.notifications(id) ON DELETE CASCADE
);
CREATE INDEX deliveries_due_at ON application.deliveries USING btree (due_at) WHERE (state = 'waiting'::text);
CREATE INDEX deliveries_finished_at ON application.deliveries USING btree (finished_at) WHERE (state <> 'waiting'::text);

create table application.devices (
  id text collate "C" not null,
  user_id text collate "C" not null,
  session_id text collate "C",
  token_id text collate "C",
  epoch text collate "C" not null,
  transport text collate "C" not null,
  address text not null,
  address_hash bytea not null,
  keys text,
  name text not null,
  created_at timestamp with time zone not null,
  constraint devices_pkey PRIMARY KEY (id),
  constraint devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES application.users(id)
);
CREATE UNIQUE INDEX devices_address_key ON application.devices USING btree (transport, address_hash);
CREATE INDEX devices_user_id ON application.devices USING btree (user_id);

create table application.fence (
  generation integer not null,
  migration integer not null,
  id integer not null default 1,
  constraint fence_pkey PRIMARY KEY (id)
);

create table application.idempotency_keys (
  user_id text collate "C" not null,
  key text collate "C" not null,
  fingerprint text collate "C" not null,
  content text collate "C",
  created_at timestamp with time zone not null,
  attachment_id text collate "C",
  node text collate "C",
  status integer,
  headers text,
  body text,
  constraint idempotency_keys_pkey PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_keys_created_at ON application.idempotency_keys USING btree (created_at);

create table application.notifications (
  id uuid not null,
  user_id text collate "C" not null,
  created_by text collate "C" not null,
  message text not null,
  created_at timestamp with time zone not null,
  constraint notifications_pkey PRIMARY KEY (id)
);

create table application.password_resets (
  token_hash bytea not null,
  user_id text collate "C" not null,
  epoch text collate "C" not null,
  address_hash bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint password_resets_pkey PRIMARY KEY (token_hash),
  constraint password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES application.users(id)
);
CREATE INDEX password_resets_user_id ON application.password_resets USING btree (user_id);

create table application.published_definitions (
  version integer not null,
  published_at timestamp with time zone not null,
  definition text not null,
  changes text,
  constraint published_definitions_pkey PRIMARY KEY (version)
);

create table application.quotas (
  quota_group text collate "C" not null,
  since timestamp with time zone not null,
  taken integer not null,
  granted integer not null,
  constraint quotas_pkey PRIMARY KEY (quota_group)
);

create table application.sessions (
  id text collate "C" not null,
  user_id text collate "C" not null,
  method text collate "C" not null,
  epoch text collate "C" not null,
  secret_hash bytea not null,
  former_hash bytea,
  confirmed boolean not null,
  created_at timestamp with time zone not null,
  rotated_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ip text not null,
  agent text not null,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES application.users(id)
);
CREATE INDEX sessions_expires_at ON application.sessions USING btree (expires_at);
CREATE INDEX sessions_user_id ON application.sessions USING btree (user_id);

create table application.sign_ons (
  state_hash bytea not null,
  browser_hash bytea not null,
  nonce text not null,
  verifier text not null,
  return_to text not null,
  former_session text collate "C",
  expires_at timestamp with time zone not null,
  constraint sign_ons_pkey PRIMARY KEY (state_hash)
);
CREATE INDEX sign_ons_expires_at ON application.sign_ons USING btree (expires_at);

create table application.tokens (
  id text collate "C" not null,
  user_id text collate "C" not null,
  name text not null,
  secret_hash bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint tokens_pkey PRIMARY KEY (id),
  constraint tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES application.users(id)
);
CREATE INDEX tokens_user_id ON application.tokens USING btree (user_id);

create table application.users (
  id text collate "C" not null,
  name text collate "C" not null,
  name_folded text collate "C" not null,
  email text collate "C",
  email_folded text collate "C" not null,
  password_hash text,
  session_epoch integer not null,
  subject text collate "C",
  login_failed_at timestamp with time zone,
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
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint users_pkey PRIMARY KEY (id)
);
CREATE INDEX users_email_folded ON application.users USING btree (email_folded) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX users_name_key ON application.users USING btree (name) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX users_shared_user_id_key ON application.users USING btree (shared_user_id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX users_subject_key ON application.users USING btree (subject) WHERE (deleted_at IS NULL);

create table application.views (
  id text collate "C" not null,
  collection_id text collate "C" not null,
  owner_id text collate "C" not null,
  name text collate "C" not null,
  shared boolean not null,
  settings text not null,
  constraint views_pkey PRIMARY KEY (id),
  constraint views_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES application.users(id)
);
CREATE INDEX views_owner_id ON application.views USING btree (owner_id, collection_id);
CREATE INDEX views_shared ON application.views USING btree (collection_id) WHERE shared;
