-- One row is a spelling with the name that it stands for (methodology, Stability) and the entity that it would be listed as.
-- Entities are numbered by brand in the order of their text.
with
tidied as (
  select *, tidy(name) as entity from history_spelling
  where spelling_no between $first_spelling and $last_spelling and brand_no is not null
),
named as (
  select
    tidied.spelling_no,
    tidied.brand_no,
    tidied.entity,
    case
      when tidied.subject = 'brand' then 'brand'
      when competitor.id is not null then 'competitor ' || competitor.id::varchar
      else 'other ' || lower_case(tidied.entity)
    end as name
  from tidied
  left join competitor on competitor.brand_no = tidied.brand_no and competitor.id = tidied.competitor_id
)
select
  spelling_no,
  entity,
  name = 'brand' as is_brand,
  dense_rank() over (order by brand_no, name)::integer as name_no,
  dense_rank() over (order by brand_no, entity)::integer as entity_no
from named
