-- One row is a run of a brand to be published after $since, in microseconds, known by its place in its file. A view takes
-- no parameters, but it can read a variable.
set variable window_since = make_timestamp($since::bigint);
create or replace view recent_run as
select
  (run.file_index::bigint << 32) + run.file_row_number as run_no,
  brand.brand_no,
  run.prompt_id,
  run.engine::engine_slug as engine,
  run.cycle_date,
  run.ran_at,
  run.status,
  run.mentions,
  run.citations
from run
inner join brand on brand.id = run.brand_id
where run.ran_at > getvariable('window_since');

-- One row is a run of the window that did not fail, without what it answered. Its number is its place in its file.
create or replace table window_run as
select run_no, brand_no, engine, status
from recent_run
where status != 'failed';

-- One row is a mention of the brand (competitor_no is NULL) or of a tracked competitor in an answer of the window.
create or replace table window_mention as
with
entry as (
  select run_no, brand_no, prompt_id, unnest(mentions) as entry from recent_run
  where status = 'success'
)
select
  entry.run_no,
  entry.brand_no,
  entry.prompt_id,
  competitor.competitor_no,
  entry.entry.position as position,
  entry.entry.sentiment as sentiment
from entry
left join competitor on competitor.brand_no = entry.brand_no and competitor.id = entry.entry.competitor_id
where entry.entry.subject = 'brand' or competitor.competitor_no is not null;

-- One row is a citation in an answer of a web-grounded engine in the window.
create or replace table window_citation as
with
entry as (
  select run_no, brand_no, unnest(citations) as entry from recent_run
  where status = 'success' and list_contains($web_grounded, engine::varchar)
)
select run_no, brand_no, entry.host as domain, entry.source_type as source_type
from entry;
