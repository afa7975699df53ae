-- Users whom the operator has named: they use the operator's interface with their sessions (docs/publishing.md).
-- shared_user_id: that of the user when named, if any.
create table cartulary.operators (
  application_id text collate "C" references cartulary.applications (id) on delete cascade,
  user_id text collate "C",
  shared_user_id text collate "C",
  named_at timestamptz not null,
  primary key (application_id, user_id)
);
