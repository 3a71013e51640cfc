-- One row is a brand outside the scope with its runs in a cycle.
select every_run.brand_id, every_run.cycle_date, count(*)::integer as runs
from every_run
anti join brand on brand.id = every_run.brand_id
group by every_run.brand_id, every_run.cycle_date
order by every_run.brand_id, every_run.cycle_date
