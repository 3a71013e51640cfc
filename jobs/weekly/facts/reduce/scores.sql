-- One row is a brand on an engine in a cycle: its runs, prompts answered and prompts that named it.
with
asked as (
  select
    brand_id,
    prompt_id,
    engine,
    cycle_date,
    count(*) as runs,
    bool_or(status = 'success') as is_answered,
    bool_or(
      status = 'success' and list_contains(list_transform(mentions, lambda entry: entry.subject), 'brand')
    ) as is_named
  from slice_run
  group by brand_id, prompt_id, engine, cycle_date
)
select
  brand_id,
  engine,
  cycle_date,
  sum(runs)::integer as runs,
  (count(*) filter (is_answered))::integer as answered,
  (count(*) filter (is_named))::integer as named
from asked
group by brand_id, engine, cycle_date
order by brand_id, engine, cycle_date
