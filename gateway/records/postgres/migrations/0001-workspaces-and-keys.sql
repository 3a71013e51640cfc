-- One row is a plan that includes API access, in lower case, and the requests per minute that come with it.
create table sightline.plans (
  name text primary key,
  requests_per_minute integer not null
);

insert into sightline.plans (name, requests_per_minute)
values ('agency', 60), ('scale', 120), ('enterprise', 600);

-- One row is a workspace; requests_per_minute is null where the plan decides.
create table sightline.workspaces (
  number integer primary key generated always as identity,
  id uuid not null unique,
  name text not null,
  plan text not null,
  requests_per_minute integer
);

-- One row is a key; revoked_at is null while the key is active.
create table sightline.keys (
  id integer primary key generated always as identity,
  workspace integer not null references sightline.workspaces (number),
  hash bytea not null unique,
  prefix text not null unique,
  label text,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

create index keys_of_a_workspace on sightline.keys (workspace);

-- One row is the last use of a key; null: never used. Apart from keys because it is written on every request:
-- its updates touch no index and find room on their own page.
create table sightline.key_uses (
  key integer primary key references sightline.keys (id),
  last_used_at timestamptz
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.01);

-- One row is the requests that a workspace has made in a minute, counted in minutes since the Unix epoch.
create table sightline.minute_counts (
  workspace integer primary key references sightline.workspaces (number),
  minute integer not null,
  requests bigint not null
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.01);
