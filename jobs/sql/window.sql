-- One row of `window_run` is a run of the last 14 days; one row of `window_mention` is an entry of its answer that
-- names the brand or a tracked competitor.
create table window_run as
select
  row_number() over () as run_no,
  brand.brand_no,
  run.engine,
  run.status,
  run.mentions,
  run.citations
from run
inner join brand on brand.id = run.brand_id
where run.ran_at > make_timestamp($as_of::bigint) - to_days($window_days) and run.status != 'failed';

create table window_mention as
with
entry as (
  select run_no, brand_no, unnest(mentions) as entry
  from window_run
  where status = 'success'
),
final as (
  select
    entry.run_no,
    entry.brand_no,
    competitor.id as competitor_id,
    entry.entry.position as position,
    entry.entry.sentiment as sentiment
  from entry
  left join competitor
    on entry.entry.subject = 'competitor'
    and competitor.brand_no = entry.brand_no
    and competitor.id = entry.entry.competitor_id
  where entry.entry.subject = 'brand' or competitor.id is not null
)
select * from final;
