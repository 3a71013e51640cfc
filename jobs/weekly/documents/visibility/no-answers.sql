-- One row is an engine with runs for a brand in the window: its runs without an answer, and its answered runs.
-- Needs window_run.
-- Feeds perEngine[].noAnswerRate, signals.answers.
select
  brand_no as "brandNo",
  engine::varchar as slug,
  (count(*) filter (where status = 'no_answer'))::integer as silent,
  (count(*) filter (where status = 'success'))::integer as answered
from window_run
group by brand_no, engine
order by brand_no, engine
