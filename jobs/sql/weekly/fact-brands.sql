-- One row is a brand with answers in the cycles: its answered prompts in the order of their numbers, and its observations,
-- ascending.
with
observations as (
  select brand_no, list(observation order by observation) as observations from observed
  group by brand_no
),
prompts as (
  select brand_no, brand_id, list(prompt_id::varchar order by prompt_no) as prompts
  from answered_prompt
  group by brand_no, brand_id
)
select prompts.brand_no, prompts.brand_id::varchar as brand_id, prompts.prompts, observations.observations
from prompts
inner join observations using (brand_no)
order by prompts.brand_no
