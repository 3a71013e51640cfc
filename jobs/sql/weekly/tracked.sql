-- One row of a tracked_* table is one record of the tracking state as of the snapshot's date; the empty tables say
-- what a run, a cycle's fact and the base of all earlier cycles look like where there is none.
create type engine_slug as enum (
  'ai_mode', 'ai_overview', 'chatgpt', 'claude', 'deepseek', 'gemini', 'grok', 'perplexity'
);
create type mention_subject as enum ('brand', 'competitor', 'other');
create table tracked_workspaces (id uuid, name varchar, created_at timestamp);
create table tracked_brands (id uuid, workspace_id uuid, name varchar, domain varchar, created_at timestamp);
create table tracked_competitors (id uuid, brand_id uuid, name varchar);
create table tracked_prompts (id uuid, brand_id uuid, text varchar, is_active boolean, created_at timestamp);
create table cycle (cycle_no integer, cycle_date date);
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
create table no_fact_asking (
  cycle_date date,
  brand_id uuid,
  prompt_id uuid,
  engine varchar,
  runs integer,
  is_answered boolean,
  is_named boolean
);
create table no_fact_naming (
  cycle_date date,
  brand_id uuid,
  prompt_id uuid,
  engine varchar,
  subject varchar,
  competitor_id uuid,
  name varchar,
  entries integer
);
create table no_base_asked (asked_no integer, brand_id uuid, prompt_id uuid);
create table no_base_observed (series_no integer, cycles integer);
create table no_base_naming (
  series_no integer,
  subject varchar,
  competitor_id uuid,
  name varchar,
  era integer,
  entries integer,
  cycles_low bigint,
  cycles_high bigint
);
create table no_base_scores (
  brand_id uuid, engine varchar, cycle_date date, runs integer, answered integer, named integer
);
