-- One row is a spelling by which somebody was named for a brand in the cycle.
with
final as (
  select *, tidy(name) as entity from spelling
)
select
  brand_no,
  subject,
  competitor_id::varchar as competitor_id,
  name,
  entity,
  lower_case(entity) as folded,
  series
from final
order by brand_no, subject, final.competitor_id, name
