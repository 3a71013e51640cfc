-- The runs of the slice in the window: those after $since, in microseconds; and the engines in use.
-- Needs slice_run, competitor.
-- Makes window_run, window_mention, window_citation, engine_use.

-- One row is a run of the window that did not fail, without what it answered. Its number is its place in its file.
create or replace table window_run as
select run_no, brand_no, engine, status
from slice_run
where ran_at > make_timestamp($since::bigint) and status != 'failed';

-- One row is a mention of the brand (competitor_no is NULL) or of a tracked competitor in an answer of the window.
create or replace table window_mention as
with
entry as (
  select run_no, brand_no, prompt_id, engine, unnest(mentions) as entry from slice_run
  where ran_at > make_timestamp($since::bigint) and status = 'success'
)
select
  entry.run_no,
  entry.brand_no,
  entry.prompt_id,
  entry.engine,
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
  select run_no, brand_no, unnest(citations) as entry from slice_run
  where
    ran_at > make_timestamp($since::bigint) and status = 'success' and list_contains($web_grounded, engine::varchar)
)
select run_no, brand_no, entry.host as domain, entry.source_type as source_type
from entry;

-- One row is an engine that ran for a brand after $used_since: its runs of any status after $week_since, and the answered ones.
create or replace table engine_use as
select
  brand_no,
  engine,
  (count(*) filter (where ran_at > make_timestamp($week_since::bigint)))::integer as runs,
  (count(*) filter (where ran_at > make_timestamp($week_since::bigint) and status = 'success'))::integer as answered
from slice_run
where ran_at > make_timestamp($used_since::bigint)
group by brand_no, engine;
