-- One row is one prompt, as it is delivered.
select id, brand_id, text, is_active, demo_instant(created_at) as created_at, tags
from demo_prompt
order by prompt
