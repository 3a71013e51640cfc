-- One row is a brand on an engine in a cycle: its runs, prompts answered and prompts that named it.
insert into reduced_score by name
with
cycles as (
  select count(*)::integer as count from reduced_cycle
),
naming_brand as (
  select distinct brand_no, unnest(observations) as observation from spelling
  where subject = 'brand'
),
counted as (
  select brand_no, observation, 1 as answered, 0 as named from observed
  union all
  select brand_no, observation, 0 as answered, 1 as named from naming_brand
),
scored as (
  select
    counted.brand_no,
    counted.observation // cycles.count % 8 as engine_no,
    counted.observation % cycles.count as cycle_no,
    sum(counted.answered)::integer as answered,
    sum(counted.named)::integer as named
  from counted
  cross join cycles
  group by all
),
brand_number as (
  select distinct brand_id, brand_no from answered_prompt
),
asked as (
  select brand_id, engine::engine_slug as engine, cycle_date, count(*)::integer as runs from reduced_run
  group by all
),
final as (
  select
    asked.brand_id,
    asked.engine,
    asked.cycle_date,
    asked.runs,
    coalesce(scored.answered, 0) as answered,
    coalesce(scored.named, 0) as named
  from asked
  inner join reduced_cycle using (cycle_date)
  left join brand_number using (brand_id)
  left join scored
    on
      scored.brand_no = brand_number.brand_no
      and scored.engine_no = enum_code(asked.engine)
      and scored.cycle_no = reduced_cycle.cycle_no
)
select * from final
