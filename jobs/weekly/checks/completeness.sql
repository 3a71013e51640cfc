-- One row is an engine that ran for a brand in the four weeks before the newest one: the prompts that it is expected
-- to have run in the newest week, and those of them that have a run there, with any status.
with
week_run as (
  select brand.brand_no, score.engine, score.cycle_date
  from score
  inner join brand on brand.id = score.brand_id
  where score.cycle_date > $newest::date - 35 and score.cycle_date <= $newest::date
),
expected_engine as (
  select distinct brand_no, engine
  from week_run
  where cycle_date <= $newest::date - 7
),
-- A prompt that was added after the brand's own cycle of the week waits for the next one.
cycle_day as (
  select brand_no, max(cycle_date) as cycle_date
  from week_run
  where cycle_date > $newest::date - 7
  group by brand_no
),
expected as (
  select prompt.brand_no, expected_engine.engine, prompt.id as prompt_id
  from prompt
  inner join expected_engine using (brand_no)
  left join cycle_day using (brand_no)
  where prompt.is_active and prompt.created_at < coalesce(cycle_day.cycle_date, $newest::date)
),
delivered as (
  select distinct brand.brand_no, run.engine::engine_slug as engine, run.prompt_id
  from run
  inner join brand on brand.id = run.brand_id
  where run.cycle_date > $newest::date - 7 and run.cycle_date <= $newest::date
)
select
  expected.brand_no,
  expected.engine,
  count(*)::integer as expected,
  count(delivered.prompt_id)::integer as delivered
from expected
left join delivered using (brand_no, engine, prompt_id)
group by expected.brand_no, expected.engine
