-- One row is a prompt of a brand, active or paused.
select
  brand_no,
  id::varchar as id,
  text,
  is_active,
  epoch_us(created_at) as created_at
from prompt
order by brand_no, prompt.created_at, prompt.id
