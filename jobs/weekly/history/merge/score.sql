-- One row is a brand in the scope on an engine in a cycle: its runs, the answered ones, prompts answered and prompts
-- that named it.
select brand_id, engine::engine_slug as engine, cycle_date, runs, answers, answered, named
from source_scores
where not $only_published or brand_id in (select id from brand)
