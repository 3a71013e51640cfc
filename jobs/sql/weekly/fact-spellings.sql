-- One row is a spelling by which somebody was named for a brand in the cycles; entity and folded are NULL where the name
-- is plain.
with
final as (
  select *, case when not is_plain(name) then tidy(name) end as entity from spelling
)
select
  brand_no,
  subject,
  competitor_id::varchar as competitor_id,
  name,
  entity,
  lower_case(entity) as folded,
  observations
from final
order by brand_no, subject, final.competitor_id, name
