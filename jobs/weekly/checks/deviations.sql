-- One row is an engine of a brand that is not warming up, with a score of this week: by how many prompts it was named more often
-- than expected, in units of 1/$common, and the variance of that, in units of 1/$common². Without a variance, none.
-- Needs prompt_counts, engine_score.
select
  counts."brandNo",
  counts.slug as engine,
  counts."samePrompts".named * $common - counts."samePrompts".expected as difference,
  counts."samePrompts".variance as variance
from prompt_counts as counts
inner join engine_score as latest
  on latest.brand_no = counts."brandNo" and latest.engine::varchar = counts.slug and latest.place_in_engine = 1
-- With this number of scores before it, an engine is no longer warming up.
semi join engine_score as prior
  on prior.brand_no = counts."brandNo"
  and prior.engine::varchar = counts.slug
  and prior.place_in_engine = $min_cycles + 1
where latest.cycle_date > $before::date and counts."samePrompts".variance > 0
order by counts."brandNo", counts.slug
