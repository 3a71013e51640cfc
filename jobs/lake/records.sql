-- One row of the table {prefix}_KIND is one record of the kind, with the columns of its lake objects; {origin} stands for
-- columns of the record's place, if it has one. Objects of earlier versions lack `tags`, `model`, `answer_url` and
-- `answer_sha256`: there they are NULL.
create table {prefix}_workspaces ({origin} id uuid, name varchar, created_at timestamp);
create table {prefix}_brands (
  {origin} id uuid, workspace_id uuid, name varchar, domain varchar, created_at timestamp
);
create table {prefix}_competitors ({origin} id uuid, brand_id uuid, name varchar);
create table {prefix}_prompts (
  {origin} id uuid, brand_id uuid, text varchar, is_active boolean, created_at timestamp, tags varchar[]
);
create table {prefix}_events (
  {origin} id uuid, workspace_id uuid, engine varchar, "date" date, text varchar, url varchar
);
create table {prefix}_runs (
  {origin}
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
