-- Requests with an Idempotency-Key and their replies (docs/architecture/idempotency.md).
-- fingerprint: of the request without its body. content: of the body; null if the reply does not depend on it.
-- status, headers, body: the reply; null while an upload is under way. headers: as JSON.
-- attachment_id, node: the upload under way, and the node that receives it.
create table {{application}}.idempotency_keys (
  user_id text collate "C" not null,
  key text collate "C" not null,
  fingerprint text collate "C" not null,
  content text collate "C",
  created_at timestamptz not null,
  attachment_id text collate "C",
  node text collate "C",
  status integer,
  headers text,
  body text,
  primary key (user_id, key)
);
