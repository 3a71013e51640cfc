-- One row is a prompt of a brand to be published, numbered in the order of publication.
select
  row_number() over (order by brand.brand_no, tracked.created_at, tracked.id)::integer as prompt_no,
  brand.brand_no,
  tracked.id,
  tracked.text,
  tracked.is_active,
  tracked.created_at
from tracked_prompts as tracked
inner join brand on brand.id = tracked.brand_id
