-- For the removal of expired ones.
create index idempotency_keys_created_at on {{application}}.idempotency_keys (created_at);
