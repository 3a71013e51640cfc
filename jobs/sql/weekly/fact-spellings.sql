-- One row is a spelling by which somebody was named for a brand in the cycle.
select
  brand_no,
  subject::varchar as subject,
  competitor_id::varchar as competitor_id,
  name,
  entity,
  folded
from spelling
order by brand_no, spelling_no
