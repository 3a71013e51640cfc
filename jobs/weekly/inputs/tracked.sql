-- One row of a tracked_* table is one record of the tracking state as of the snapshot's date. The table `no_run` is read
-- if there are no run files.
create table tracked_workspaces (id uuid, name varchar, created_at timestamp);
create table tracked_brands (id uuid, workspace_id uuid, name varchar, domain varchar, created_at timestamp);
create table tracked_competitors (id uuid, brand_id uuid, name varchar);
create table tracked_prompts (id uuid, brand_id uuid, text varchar, is_active boolean, created_at timestamp);
create table no_run (
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
  file_index ubigint,
  file_row_number bigint
);
