-- Views of collections: settings of clients, under a name. settings: JSON, not looked into. A shared one is every user's to
-- see, and stays when its owner is deleted.
create table {{application}}.views (
  id text collate "C" primary key,
  collection_id text collate "C" not null,
  owner_id text collate "C" not null references {{application}}.users (id),
  name text collate "C" not null,
  shared boolean not null,
  settings text not null
);
create index views_owner_id on {{application}}.views (owner_id, collection_id);
create index views_shared on {{application}}.views (collection_id) where shared;
