-- One row is a workspace; requests_per_minute is null where the plan decides. The collation of plan: in a Turkish one,
-- lower('ENTERPRISE') is another word.
create table sightline.workspaces (
  number integer primary key generated always as identity,
  id uuid not null unique,
  name text not null,
  plan text collate "C" not null,
  requests_per_minute integer
);

-- One row is a key. last_used_at is to the second, null if it was never used; revoked_at is null while the key is
-- active. Updates of last_used_at touch no index and find room on their own page.
create table sightline.keys (
  id integer primary key generated always as identity,
  workspace integer not null references sightline.workspaces (number),
  hash text collate "C" not null unique,
  prefix text not null unique,
  label text,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01);

create index keys_of_a_workspace on sightline.keys (workspace);

-- One row is the requests that a workspace has made in a minute, counted in minutes since the Unix epoch. Without a
-- foreign key, which would cost 20 µs a batch: workspaces are never deleted.
create table sightline.minute_counts (
  workspace integer primary key,
  minute integer not null,
  requests bigint not null
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.01);

-- One row is the newest checkpoint of a log that gateways have served: no gateway goes back behind it.
create table sightline.checkpoints (
  origin text primary key,
  size bigint not null,
  note text not null,
  kept_at timestamptz not null
);
