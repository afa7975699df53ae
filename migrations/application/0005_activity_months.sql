-- The activity log in spans of keys, one a month (store/activity/months). What was written before becomes one span of
-- its own, `activity_until_<month>`, or goes when it is empty: store/activity/months does that, by the present month.
-- activity_rest: what belongs to no month that has been made.
alter table {{application}}.activity rename to activity_until;
alter index {{application}}.activity_pkey rename to activity_until_pkey;
create table {{application}}.activity (
  id uuid primary key,
  entry text not null
) partition by range (id);
create table {{application}}.activity_rest partition of {{application}}.activity default;
