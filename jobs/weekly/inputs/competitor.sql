-- One row is a tracked competitor of a brand to be published, numbered in the order of brands.
select
  row_number() over (order by brand.brand_no, tracked.id)::integer as competitor_no,
  brand.brand_no,
  tracked.id,
  tracked.name
from tracked_competitors as tracked
inner join brand on brand.id = tracked.brand_id
