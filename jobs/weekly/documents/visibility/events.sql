-- One row is an event of a brand, since the oldest score of its trend: one of its workspace, or of all.
-- Needs engine_score, brand, event.
-- Feeds events[].date, events[].slug, events[].text, events[].url.
with
trend as (
  select brand_no, min(cycle_date) as since from engine_score
  where in_trend
  group by brand_no
),
-- Apart: joined by date alone, each brand would meet the events of all workspaces.
own as (
  select trend.brand_no, event.id, event.date, event.engine, event.text, event.url
  from trend
  inner join brand using (brand_no)
  inner join event on event.workspace_id = brand.workspace_id and event.date >= trend.since
),
common as (
  select trend.brand_no, event.id, event.date, event.engine, event.text, event.url
  from trend
  inner join event on event.date >= trend.since
  where event.workspace_id is null
)
select
  brand_no as "brandNo",
  date::varchar as date,
  engine as slug,
  text,
  url
from (from own union all from common)
order by brand_no, date, engine nulls first, text, id
