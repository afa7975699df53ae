-- The latest definitions that were published, so that the operator can compare them and go back.
-- changes: JSON, what the publishing changed; null if it was not recorded.
create table {{application}}.published_definitions (
  version integer primary key,
  published_at timestamptz not null,
  definition text not null,
  changes text
);
