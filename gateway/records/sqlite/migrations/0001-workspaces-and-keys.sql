-- One row is a plan that includes API access, in lower case, and the requests per minute that come with it.
create table plans (
  name text primary key,
  requests_per_minute integer not null
) strict, without rowid;

insert into plans (name, requests_per_minute)
values ('agency', 60), ('scale', 120), ('enterprise', 600);

-- One row is a workspace; requests_per_minute is null where the plan decides.
create table workspaces (
  number integer primary key,
  id text not null unique,
  name text not null,
  plan text not null,
  requests_per_minute integer
) strict;

-- One row is a key; times are milliseconds since the Unix epoch, revoked_at is null while the key is active.
create table keys (
  id integer primary key autoincrement,
  workspace integer not null references workspaces (number),
  hash text not null unique,
  prefix text not null unique,
  label text,
  created_at integer not null,
  revoked_at integer
) strict;

create index keys_of_a_workspace on keys (workspace);

-- One row is the last use of a key, in milliseconds since the Unix epoch; null: never used.
-- Apart from keys because it is written on every request: a thousand of these fill four pages, not eighty.
create table key_uses (
  key integer primary key references keys (id),
  last_used_at integer
) strict;

-- One row is the requests that a workspace has made in a minute, counted in minutes since the Unix epoch.
create table minute_counts (
  workspace integer primary key references workspaces (number),
  minute integer not null,
  requests integer not null
) strict;
