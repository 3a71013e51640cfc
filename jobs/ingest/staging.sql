-- One row of a staged_* table is one record taken from the drop, with the file and line it came from;
-- one row of `reject` is one record refused, with its own text (`record_base64` if that is not UTF-8);
-- one row of `repeated` is one record that was delivered before, with its own content or, `conflicting`, with other content.
create type mention as struct(
  name varchar, subject varchar, competitor_id uuid, "position" bigint, sentiment varchar
);
create type citation as struct(host varchar, source_type varchar);
create table staged_workspaces (file varchar, line bigint, id uuid, name varchar, created_at timestamp);
create table staged_brands (
  file varchar, line bigint, id uuid, workspace_id uuid, name varchar, domain varchar, created_at timestamp
);
create table staged_competitors (file varchar, line bigint, id uuid, brand_id uuid, name varchar);
create table staged_prompts (
  file varchar, line bigint, id uuid, brand_id uuid, text varchar, is_active boolean, created_at timestamp
);
create table staged_runs (
  file varchar,
  line bigint,
  id uuid,
  brand_id uuid,
  prompt_id uuid,
  engine varchar,
  cycle_date date,
  ran_at timestamp,
  status varchar,
  mentions mention[],
  citations citation[],
  citation_urls varchar[]
);
create table reject (file varchar, line bigint, reason varchar, record varchar, record_base64 varchar);
create table repeated (file varchar, line bigint, conflicting boolean);
