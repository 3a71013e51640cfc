-- One row is a prompt of a brand to be published, numbered in the order of publication.
select
  row_number() over (order by brand.brand_no, tracked.created_at, tracked.id)::integer as prompt_no,
  brand.brand_no,
  tracked.id,
  tracked.text,
  tracked.is_active,
  tracked.created_at,
  names_brand(lower_case(tidy(tracked.text)), brand.folded_name) as names_brand,
  list_sort(list_distinct(list_filter(
    list_transform(tracked.tags, lambda tag: tidy(tag)), lambda tag: tag != ''
  ))) as tags
from tracked_prompts as tracked
inner join brand on brand.id = tracked.brand_id
