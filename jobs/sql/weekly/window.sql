-- One row of `window_run` is a run of the last 14 days, without what it answered; one row of `window_mention` is an
-- entry of an answer that names the brand or a tracked competitor. A run is known by its place in its file.
create table window_run as
select
  (run.file_index::bigint << 32) + run.file_row_number as run_no,
  brand.brand_no,
  run.engine::engine_slug as engine,
  run.status
from run
inner join brand on brand.id = run.brand_id
where run.ran_at > make_timestamp($as_of::bigint) - to_days($window_days) and run.status != 'failed';

create table window_mention as
with
entry as (
  select (run.file_index::bigint << 32) + run.file_row_number as run_no, brand.brand_no, unnest(run.mentions) as entry
  from run
  inner join brand on brand.id = run.brand_id
  where run.ran_at > make_timestamp($as_of::bigint) - to_days($window_days) and run.status = 'success'
),
final as (
  select
    entry.run_no,
    entry.brand_no,
    competitor.competitor_no,
    entry.entry.position as position,
    entry.entry.sentiment as sentiment
  from entry
  left join competitor on competitor.brand_no = entry.brand_no and competitor.id = entry.entry.competitor_id
  where entry.entry.subject = 'brand' or competitor.competitor_no is not null
)
select * from final;

-- One row is a citation in an answer of a web-grounded engine.
create table window_citation as
with
entry as (
  select (run.file_index::bigint << 32) + run.file_row_number as run_no, brand.brand_no, unnest(run.citations) as entry
  from run
  inner join brand on brand.id = run.brand_id
  where
    run.ran_at > make_timestamp($as_of::bigint) - to_days($window_days)
    and run.status = 'success'
    and list_contains($web_grounded, run.engine)
)
select run_no, brand_no, entry.host as domain, entry.source_type as source_type
from entry;
