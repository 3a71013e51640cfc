-- One row is a prompt of a brand, active or paused.
-- Feeds prompts[].id, prompts[].text, prompts[].isActive, prompts[].createdAt.
select
  brand_no as "brandNo",
  id::varchar as id,
  text,
  is_active as "isActive",
  epoch_us(created_at) as "createdAt"
from prompt
where brand_no between $first_brand and $last_brand
order by prompt_no
