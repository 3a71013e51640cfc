-- One row is an engine that ran for a brand in the four weeks before its newest cycle: the prompts that it is expected to
-- have run in that cycle, and those of them that have a run there, with any status. If no run of that cycle is of after
-- $since, in microseconds, the brand lacks a whole cycle: its newest one is then one of the earlier ones.
-- Needs ran, brand, run, prompt.
with
newest as (
  select brand.brand_no, brand.id as brand_id, max(ran.cycle_date) as cycle_date
  from ran
  inner join brand on brand.id = ran.brand_id
  group by brand.brand_no, brand.id
),
newest_run as (
  select newest.brand_no, run.engine::engine_slug as engine, run.prompt_id, run.ran_at
  from run
  inner join newest using (brand_id, cycle_date)
  where run.ran_at > make_timestamp($since::bigint) - interval 7 day
),
week as (
  select
    *,
    brand_no in (select brand_no from newest_run where ran_at > make_timestamp($since::bigint)) as has_cycle
  from newest
),
expected_engine as (
  select distinct week.brand_no, ran.engine
  from ran
  inner join week using (brand_id)
  where ran.cycle_date >= week.cycle_date - 28 and (ran.cycle_date < week.cycle_date or not week.has_cycle)
),
-- A prompt that was added after the brand's cycle of the week waits for the next one.
expected as (
  select brand_no, expected_engine.engine, prompt.id as prompt_id
  from prompt
  inner join week using (brand_no)
  inner join expected_engine using (brand_no)
  where prompt.is_active and (prompt.created_at < week.cycle_date or not week.has_cycle)
),
delivered as (
  select distinct brand_no, newest_run.engine, newest_run.prompt_id
  from newest_run
  inner join week using (brand_no)
  where week.has_cycle
)
select
  brand_no,
  week.cycle_date,
  expected.engine,
  count(*)::integer as expected,
  count(delivered.prompt_id)::integer as delivered
from expected
inner join week using (brand_no)
left join delivered using (brand_no, engine, prompt_id)
group by brand_no, week.cycle_date, expected.engine
