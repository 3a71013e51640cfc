-- The runs of the slice in the window: those after $since, in microseconds.
-- Needs slice_run, competitor.
-- Makes window_run, window_mention, window_citation.

-- One row is a run of the window that did not fail, without what it answered. Its number is its place in its file.
create or replace table window_run as
select run_no, brand_no, engine, status
from slice_run
where ran_at > make_timestamp($since::bigint) and status != 'failed';

-- One row is a mention of the brand (competitor_no is NULL) or of a tracked competitor in an answer of the window.
create or replace table window_mention as
with
entry as (
  select run_no, brand_no, prompt_id, unnest(mentions) as entry from slice_run
  where ran_at > make_timestamp($since::bigint) and status = 'success'
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
  select run_no, brand_no, unnest(citations) as entry from slice_run
  where
    ran_at > make_timestamp($since::bigint) and status = 'success' and list_contains($web_grounded, engine::varchar)
)
select run_no, brand_no, entry.host as domain, entry.source_type as source_type
from entry;
