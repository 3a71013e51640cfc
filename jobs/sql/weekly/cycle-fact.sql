-- One row is a prompt asked on an engine for a brand in one cycle: its runs, whether one was answered and named the
-- brand, and who was named in the answers.
select
  cycle_date,
  brand_id,
  prompt_id,
  engine,
  count(*)::integer as runs,
  bool_or(status = 'success') as is_answered,
  coalesce(bool_or(
    status = 'success' and list_contains(list_transform(mentions, lambda m: m.subject), 'brand')
  ), false) as is_named,
  flatten(list(
    case
      when status = 'success'
        then list_transform(mentions, lambda m: {subject: m.subject, competitor_id: m.competitor_id, name: m.name})
      else []
    end
    order by ran_at, id
  )) as names
from run
where cycle_date = $cycle_date::date
group by cycle_date, brand_id, prompt_id, engine
order by brand_id, prompt_id, engine
