-- How far each job has come with the applications that nobody uses. position: the application after which it goes on.
create table cartulary.walks (
  job text collate "C" primary key,
  position text collate "C" not null
);
