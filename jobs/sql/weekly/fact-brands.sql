-- One row is a brand with answers in the cycle: its answered prompts and series, in the order of their numbers.
with
series as (
  select brand_no, list(distinct series) as series from answer
  group by brand_no
),
prompts as (
  select brand_no, brand_id, list(prompt_id::varchar order by prompt_no) as prompts
  from answered_prompt
  group by brand_no, brand_id
)
select prompts.brand_no, prompts.brand_id::varchar as brand_id, prompts.prompts, list_sort(series.series) as series
from prompts
inner join series using (brand_no)
order by prompts.brand_no
