-- One row is a brand outside the scope with runs in a cycle.
insert into reduced_score by name
select brand_id, cycle_date, count(*)::integer as runs
from every_run
anti join reduced_brand on reduced_brand.id = brand_id
group by brand_id, cycle_date
