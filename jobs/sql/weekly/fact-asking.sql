-- One row is a prompt that was asked on an engine for a brand in one cycle: its runs, and whether one of them was
-- answered and named the brand.
select
  cycle_date,
  brand_id,
  prompt_id,
  engine,
  count(*)::integer as runs,
  bool_or(status = 'success') as is_answered,
  bool_or(status = 'success' and list_contains(list_transform(mentions, lambda m: m.subject), 'brand')) as is_named
from run
where cycle_date = $cycle_date::date
group by cycle_date, brand_id, prompt_id, engine
order by brand_id, prompt_id, engine
