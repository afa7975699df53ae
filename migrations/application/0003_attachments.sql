-- One row for each attachment, from before its first byte until after its last (docs/architecture.md, "Attachments").
-- state: pending (bytes are still to come), available, removing (nobody finds it any more; bytes and row are about to
--   go), missing (its bytes were found to be gone).
-- size: the bytes stored, or announced. hash: SHA-256 of them in hex, once they are there.
-- node: the server that is receiving bytes, while it does. pieces: what has been received of an announced upload, as
--   JSON, until all of it is joined and removed; null for an upload in one request.
-- free_since: since when no record is known to hold it; null while one may.
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
