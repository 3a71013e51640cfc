-- One row is a brand on an engine in a cycle of the base: its runs, prompts answered and prompts that named it.
select brand_id, engine::varchar as engine, cycle_date, runs, answered, named from score
