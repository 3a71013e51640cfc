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
  select (file_index::bigint << 32) + file_row_number as run_no, brand_id, unnest(mentions) as entry
  from run
  where ran_at > make_timestamp($as_of::bigint) - to_days($window_days) and status = 'success'
),
final as (
  select
    entry.run_no,
    brand.brand_no,
    competitor.competitor_no,
    entry.entry.position as position,
    entry.entry.sentiment as sentiment
  from entry
  inner join brand on brand.id = entry.brand_id
  left join competitor on competitor.brand_no = brand.brand_no and competitor.id = entry.entry.competitor_id
  where entry.entry.subject = 'brand' or competitor.competitor_no is not null
)
select * from final;

-- One row is a citation in an answer of a web-grounded engine.
create table window_citation as
with
entry as (
  select (file_index::bigint << 32) + file_row_number as run_no, brand_id, unnest(citations) as entry
  from run
  where
    ran_at > make_timestamp($as_of::bigint) - to_days($window_days)
    and status = 'success'
    and list_contains($web_grounded, engine)
),
final as (
  select entry.run_no, brand.brand_no, entry.entry.host as domain, entry.entry.source_type as source_type
  from entry
  inner join brand on brand.id = entry.brand_id
)
select * from final;
