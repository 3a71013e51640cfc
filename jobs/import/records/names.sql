-- One row is one name that the answers of a brand are searched for, the brand's own or a competitor's, with the longer names
-- of the same brand that contain it (NULL where there are none).
create or replace temp table searched_name as
with
given as (
  select brand_id::uuid as brand_id, competitor_id::uuid as competitor_id, trim_white(name) as name
  from given_names
  where name is not null and not is_blank(name)
),
-- One owner for each name: the brand before competitors.
alias as (
  select
    brand_id,
    trim(folded(name)) as folded,
    arg_min(competitor_id, coalesce(competitor_id::varchar, '')) as competitor_id,
    bool_or(competitor_id is null) as is_brand,
    min(name) as name
  from given
  group by brand_id, trim(folded(name))
),
longer as (
  select short.brand_id, short.folded, list(long.folded order by length(long.folded) desc, long.folded) as longer
  from alias as short
  join alias as long
    on long.brand_id = short.brand_id and long.folded <> short.folded and contains(long.folded, short.folded)
  group by short.brand_id, short.folded
)
select
  brand_id, case when not is_brand then competitor_id end as competitor_id, is_brand, name, folded, longer
from alias
left join longer using (brand_id, folded);
