-- How often each group of operations was asked for in the clock hour (docs/architecture.md, "Quotas").
-- since: when the counting of the hour began, by whoever counted first in it. Leases are of one counting: what is left
-- of one goes back to none but that.
-- taken: admitted or leased to a server since. granted: what the latest lease was given.
create table {{application}}.quotas (
  quota_group text collate "C" primary key,
  since timestamptz not null,
  taken integer not null,
  granted integer not null
);
