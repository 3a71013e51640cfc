-- One row is an event of a brand, since the oldest score of its trend.
-- Feeds events[].date, events[].slug, events[].text, events[].url.
with
trend as (
  select brand_no, min(cycle_date) as since from engine_score
  where in_trend
  group by brand_no
)
select
  trend.brand_no as "brandNo",
  event.date::varchar as date,
  event.engine as slug,
  event.text,
  event.url
from trend
inner join brand using (brand_no)
inner join event on event.date >= trend.since
where event.workspace_id is null or event.workspace_id = brand.workspace_id
order by trend.brand_no, event.date, event.engine nulls first, event.text, event.id
