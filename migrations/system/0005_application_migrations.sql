-- migration: the last migration that is known to be applied to the application's schema, as its fence says; null until a node
-- has looked. A start asks this one table, and not the fence of every application.
alter table cartulary.applications add column migration integer;
