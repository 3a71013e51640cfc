-- One row of a table would be one row of a mapping's view (docs/importing.md): these tables stay empty. A column with a default
-- may be missing in the view. (A default cannot be a macro.)
-- Makes field_workspaces, field_brands, field_competitors, field_prompts, field_events, field_runs, field_problems,
-- field_missing, field_names.
set variable created_at = date_setting('created_at', '1970-01-01');
create temp table field_workspaces (id uuid, name varchar, created_at timestamp default getvariable('created_at'));
create temp table field_brands (
  id uuid, workspace_id uuid, name varchar, domain varchar default '',
  created_at timestamp default getvariable('created_at')
);
create temp table field_competitors (id uuid, brand_id uuid, name varchar);
create temp table field_prompts (
  id uuid, brand_id uuid, text varchar, is_active boolean default true,
  created_at timestamp default getvariable('created_at'), tags varchar[] default null
);
create temp table field_events (
  id uuid, workspace_id uuid default null, engine varchar default null, "date" date, text varchar, url varchar default null
);
create temp table field_runs (
  id uuid,
  brand_id uuid,
  prompt_id uuid,
  engine varchar,
  ran_at timestamp,
  status varchar default 'success',
  mentions
    struct(name varchar, subject varchar, competitor_id uuid, "position" bigint, sentiment varchar)[] default null,
  named varchar[] default null,
  answer varchar default null,
  citations struct(url varchar, source_type varchar)[] default null,
  model varchar default null,
  answer_url varchar default null,
  skip varchar default null,
  -- Where the answer is in the export, for reports.
  source_file varchar default null,
  source_row bigint default null,
  cell varchar default null
);
create temp table field_problems (
  source_file varchar, source_row bigint, "column" varchar default null, "value" varchar default null, why varchar
);
create temp table field_missing (reason varchar, answers bigint);
create temp table field_names (brand_id uuid, competitor_id uuid default null, name varchar);
