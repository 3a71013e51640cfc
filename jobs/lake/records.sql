-- One row of a table would be one record of its kind, with the columns of its lake objects: these tables stay empty. A
-- run of the lake also has its `place`.
-- Makes record_workspaces, record_brands, record_competitors, record_prompts, record_events, record_runs.
create table record_workspaces (id uuid, name varchar, created_at timestamp);
create table record_brands (
  id uuid, workspace_id uuid, name varchar, domain varchar, created_at timestamp
);
create table record_competitors (id uuid, brand_id uuid, name varchar);
create table record_prompts (
  id uuid, brand_id uuid, text varchar, is_active boolean, created_at timestamp, tags varchar[]
);
create table record_events (
  id uuid, workspace_id uuid, engine varchar, "date" date, text varchar, url varchar
);
create table record_runs (
  id uuid,
  brand_id uuid,
  prompt_id uuid,
  engine varchar,
  cycle_date date,
  ran_at timestamp,
  status varchar,
  mentions struct(name varchar, subject varchar, competitor_id uuid, "position" bigint, sentiment varchar)[],
  citations struct(host varchar, source_type varchar)[],
  citation_urls varchar[],
  model varchar,
  answer_url varchar,
  answer_sha256 varchar
);

-- Where the hash of an id lies, from 0 to 2^48 - 1. jobs/weekly/shard.ts divides the same hashes.
create or replace macro place_of(id) as ('0x' || sha256(id::varchar)[1:12])::bigint;
