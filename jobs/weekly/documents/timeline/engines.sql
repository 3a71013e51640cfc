-- One row is an engine that answered for a brand, with its cycles, oldest first. Lists are texts, separated by commas: they are
-- read in a tenth of the time of DuckDB's lists.
-- Needs timeline_cycle.
-- Feeds engines[].slug, engines[].dates[], engines[].promptsAnswered[], engines[].answers[].
select
  brand_no as "brandNo",
  engine::varchar as slug,
  string_agg(cycle_date::varchar, ',' order by cycle_no) as dates,
  string_agg(answered::varchar, ',' order by cycle_no) as "promptsAnswered",
  string_agg(answers::varchar, ',' order by cycle_no) as answers
from timeline_cycle
group by brand_no, engine
order by brand_no, engine
