-- One row is a workspace; requests_per_minute is null where the plan decides.
create table workspaces (
  number integer primary key,
  id text not null unique,
  name text not null,
  plan text not null,
  requests_per_minute integer
) strict;

-- One row is a key. Times are ISO 8601 in UTC: last_used_at to the second, null if it was never used; revoked_at is null
-- while the key is active.
create table keys (
  id integer primary key autoincrement,
  workspace integer not null references workspaces (number),
  hash text not null unique,
  prefix text not null unique,
  label text,
  created_at text not null,
  last_used_at text,
  revoked_at text
) strict;

create index keys_of_a_workspace on keys (workspace);

-- One row is the requests that a workspace has made in a minute, counted in minutes since the Unix epoch. Apart from
-- workspaces because it is written on every request: a thousand of these fill four pages.
create table minute_counts (
  workspace integer primary key references workspaces (number),
  minute integer not null,
  requests integer not null
) strict;

-- One row is the newest checkpoint of a log that gateways have served: no gateway goes back behind it.
create table checkpoints (
  origin text primary key,
  size integer not null,
  note text not null,
  kept_at text not null
) strict;
