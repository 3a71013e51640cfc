-- One row is an engine that was in use for a brand and gave no answer lately. NULL: it never answered.
-- Needs engine_use, score.
-- Feeds silent[].slug, silent[].lastAnswered, silent[].runs.
with
last_score as (
  select brand_no, engine, max(cycle_date) as last_answered
  from score
  group by brand_no, engine
)
select
  engine_use.brand_no as "brandNo",
  engine_use.engine::varchar as slug,
  last_score.last_answered::varchar as "lastAnswered",
  engine_use.runs
from engine_use
left join last_score using (brand_no, engine)
where engine_use.answered = 0
order by engine_use.brand_no, engine_use.engine
