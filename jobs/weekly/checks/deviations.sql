-- One row is an engine of a brand whose latest cycle can be compared: by how many prompts it was named more often than expected,
-- in units of 1/$common, and the variance of that, in units of 1/$common². Without a variance, none.
-- Needs prompt_counts.
select
  "brandNo",
  slug as engine,
  "samePrompts".named * $common - "samePrompts".expected as difference,
  "samePrompts".variance as variance
from prompt_counts
where "samePrompts".variance > 0
order by "brandNo", slug
