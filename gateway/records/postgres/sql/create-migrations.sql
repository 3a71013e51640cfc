-- One row is a migration that has run in this database.
create schema if not exists sightline;

create table if not exists sightline.migrations (
  version integer primary key,
  file text not null,
  ran_at timestamptz not null default now()
);
