-- One row is a run object: the workspaces to be published that have runs in it, and whether it has runs of a brand that is
-- not tracked.
-- Needs run_brand, brand, tracked_brands.
select
  run_brand.object,
  coalesce(list(distinct brand.workspace_id::varchar) filter (brand.id is not null), []) as workspaces,
  bool_or(tracked.id is null) as "hasOrphans"
from run_brand
left join brand on brand.id = run_brand.brand_id
left join tracked_brands as tracked on tracked.id = run_brand.brand_id
group by run_brand.object
