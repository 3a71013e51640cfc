-- One row is an engine of a brand with the prompts of its latest scores.
-- Needs prompt_counts.
select * from prompt_counts
order by "brandNo", slug
