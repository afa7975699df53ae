-- What belongs to the server as a whole. An application's own things live in its schema (migrations/application).
create table cartulary.organizations (
  name text collate "C" primary key,
  single_sign_on text
);

-- definition: the publish document with every identifier and default filled in, as JSON text.
create table cartulary.applications (
  id text collate "C" primary key,
  organization text collate "C" not null references cartulary.organizations (name),
  version integer not null,
  definition text not null,
  published_at timestamptz not null
);

create table cartulary.shared_users (
  id text collate "C" primary key,
  organization text collate "C" not null references cartulary.organizations (name),
  name text collate "C" not null,
  email text collate "C" not null,
  password_hash text,
  disabled boolean not null,
  created_at timestamptz not null,
  constraint shared_users_name_key unique (organization, name)
);
