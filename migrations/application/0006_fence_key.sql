-- A key for the one row. Logical replication, by which a cluster moves an application between its workers, can neither move a
-- table without a key nor let it be updated meanwhile.
alter table {{application}}.fence add column id integer not null default 1;
alter table {{application}}.fence add constraint fence_pkey primary key (id);
