-- One row is a model that answered for a brand on an engine in a cycle, as it was delivered.
select distinct brand_id, engine, cycle_date, model
from slice_run
where status = 'success' and model is not null
order by brand_id, engine, cycle_date, model
