-- One row is a prompt asked on an engine for a brand in a cycle: its runs, how many of them were answered, and the brand's
-- best position in the answers, NULL where none names it.
select
  brand_id,
  prompt_id,
  engine,
  cycle_date,
  count(*) as runs,
  count(*) filter (status = 'success') as answers,
  min(
    case when status = 'success' then list_min(
      list_transform(
        list_filter(mentions, lambda entry: entry.subject = 'brand'), lambda entry: entry.position
      )
    ) end
  ) as position
from slice_run
group by brand_id, prompt_id, engine, cycle_date
