-- One row is a prompt that was answered for a brand of the slice and whose text names the brand. It may be tracked for
-- another brand.
select brand_no, id as prompt_id
from prompt
where names_brand and brand_no between $first_brand and $last_brand
union
select foreign_prompt.brand_no, foreign_prompt.prompt_id
from (
  select distinct history_series.brand_no, history_series.prompt_id
  from history_series
  anti join prompt on prompt.brand_no = history_series.brand_no and prompt.id = history_series.prompt_id
  where history_series.series_no between $first_series and $last_series
) as foreign_prompt
inner join tracked_prompts on tracked_prompts.id = foreign_prompt.prompt_id
inner join brand using (brand_no)
where names_brand(lower_case(tidy(tracked_prompts.text)), brand.folded_name)
