-- One row is one answer with what it mentions, by its id and the hash of its text or its list of names.
-- The texts are read and joined row by row: as lists in lambdas the same took fifty times as long.
create or replace temp table mentioned as
with
searched as (
  select id, brand_id, hash(answer, named) as content, folded(answer) as words
  from given_runs
  where skip is null and mentions is null and named is null and answer is not null and status = 'success'
),
found_in_text as (
  select
    id,
    content,
    is_brand,
    competitor_id,
    name,
    case when longer is null then word_at(words, folded) else word_at(without_words(words, longer), folded) end as place
  from searched
  join searched_name using (brand_id)
  where contains(words, folded)
),
listed as (
  select
    id,
    brand_id,
    hash(answer, named) as content,
    unnest(named) as name,
    generate_subscripts(named, 1) as place
  from given_runs
  where skip is null and mentions is null and named is not null and status = 'success'
),
found_in_list as (
  select id, content, coalesce(is_brand, false) as is_brand, competitor_id, listed.name, place
  from listed
  left join searched_name
    on searched_name.brand_id = listed.brand_id and searched_name.folded = trim(folded(listed.name))
  where not is_blank(listed.name)
),
-- A brand or competitor counts where it is named first; every other name on its own.
first_place as (
  select
    id,
    content,
    is_brand,
    competitor_id,
    min(case when place is not null then {'place': place, 'name': name} end) as first
  from (from found_in_text union all by name from found_in_list)
  group by
    id, content, is_brand, competitor_id, case when not is_brand and competitor_id is null then place else 0 end
)
select
  id,
  content,
  -- Sorted here, because list(… order by …) takes ten times as long.
  list_transform(
    list_sort(list({'first': first, 'is_brand': is_brand, 'competitor_id': competitor_id})),
    lambda mention, position: {
      'name': mention.first.name,
      'subject': case
        when mention.is_brand then 'brand'
        when mention.competitor_id is not null then 'competitor'
        else 'other'
      end,
      'competitor_id': mention.competitor_id,
      'position': position,
      'sentiment': null::varchar
    }
  ) as found
from first_place
where first is not null
group by id, content;
