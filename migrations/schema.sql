-- The tables that the migrations make: the system schema, and the schema of one application without collections.
-- Read from the catalogs by test/support/schema-dump.ts, never loaded and never edited by hand. The test
-- test/operator/migrations.test.ts fails when it is out of date and rewrites it with CARTULARY_TEST_WRITE_SCHEMA=1.

create schema cartulary;

create table cartulary.applications (
  id text collate "C" not null,
  organization text collate "C" not null,
  version integer not null,
  definition text not null,
  published_at timestamp with time zone not null,
  generation integer not null,
  preparing text,
  constraint applications_pkey PRIMARY KEY (id),
  constraint applications_organization_fkey FOREIGN KEY (organization) REFERENCES cartulary.organizations(name)
);

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
  constraint migrations_pkey PRIMARY KEY (number)
);

create table cartulary.organizations (
  name text collate "C" not null,
  single_sign_on text,
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

create table cartulary.shared_users (
  id text collate "C" not null,
  organization text collate "C" not null,
  name text collate "C" not null,
  email text collate "C" not null,
  password_hash text,
  disabled boolean not null,
  created_at timestamp with time zone not null,
  constraint shared_users_pkey PRIMARY KEY (id),
  constraint shared_users_name_key UNIQUE (organization, name),
  constraint shared_users_organization_fkey FOREIGN KEY (organization) REFERENCES cartulary.organizations(name)
);

create schema application;

create table application.activity (
  id uuid not null,
  entry text not null,
  constraint activity_pkey PRIMARY KEY (id)
);

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

create table application.fence (
  generation integer not null,
  migration integer not null,
  layout integer not null
);

create table application.tokens (
  id text collate "C" not null,
  user_id text collate "C" not null,
  name text not null,
  secret_hash bytea not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  constraint tokens_pkey PRIMARY KEY (id),
  constraint tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES application.users(id)
);
CREATE INDEX tokens_user_id ON application.tokens USING btree (user_id);

create table application.users (
  id text collate "C" not null,
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
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  name_folded text collate "C" not null,
  constraint users_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX users_name_key ON application.users USING btree (name) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX users_shared_user_id_key ON application.users USING btree (shared_user_id) WHERE (deleted_at IS NULL);
