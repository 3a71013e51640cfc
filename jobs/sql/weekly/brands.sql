-- One row is a brand to be published.
select
  brand_no,
  workspace_id::varchar as workspace_id,
  id::varchar as id,
  name,
  domain,
  epoch_us(created_at) as created_at
from brand
order by brand_no
