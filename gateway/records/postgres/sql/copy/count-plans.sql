-- One row is the number of plans.
select count(*)::integer as plans from sightline.plans
