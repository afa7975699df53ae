-- generation: what writers must name; layout: how far the tables of collections have come (store/applications/layouts).
alter table {{application}}.fence rename column version to generation;
alter table {{application}}.fence add column layout integer not null default 1;
alter table {{application}}.fence alter column layout drop default;

-- name_folded: the name as searches compare it, without regard to case (domain/search/fold). Of the names that are there
-- already store/applications/layouts folds it, in the same transaction.
alter table {{application}}.users add column name_folded text collate "C" not null default '';
alter table {{application}}.users alter column name_folded drop default;
