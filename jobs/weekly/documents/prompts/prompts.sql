-- One row is a prompt of a brand, active or paused.
-- Needs prompt.
-- Feeds prompts[].id, prompts[].text, prompts[].isActive, prompts[].createdAt, prompts[].namesBrand, prompts[].tags[].
select
  brand_no as "brandNo",
  id::varchar as id,
  text,
  is_active as "isActive",
  epoch_us(created_at) as "createdAt",
  names_brand as "namesBrand",
  coalesce(tags, []) as tags
from prompt
where brand_no between $first_brand and $last_brand
order by prompt_no
