-- One row is a slice: brands in the order of publication, then those that are not published. Slices have about the same
-- number of series. Empty ranges end below their beginning.
with
answered as (
  select brand_no, brand_id, min(series_no) as first_series, max(series_no) as last_series
  from history_series
  group by brand_no, brand_id
),
spellings as (
  select brand_id, min(spelling_no) as first_spelling, max(spelling_no) as last_spelling
  from history_spelling
  group by brand_id
),
each_brand as (
  select brand_no, id as brand_id from brand
  union
  select brand_no, brand_id from answered
  union
  select null, null -- so that there is a slice without any brand too
),
placed as (
  select
    each_brand.brand_no,
    answered.first_series,
    answered.last_series,
    spellings.first_spelling,
    spellings.last_spelling,
    sum(coalesce(answered.last_series - answered.first_series, 0) + 1)
      over (order by each_brand.brand_no nulls last, each_brand.brand_id) as series_to_here
  from each_brand
  left join answered using (brand_id)
  left join spellings using (brand_id)
),
sliced as (
  select *, (series_to_here - 1) * $slices // max(series_to_here) over () as slice from placed
)
select
  coalesce(min(brand_no), 0) as first_brand,
  coalesce(max(brand_no), -1) as last_brand,
  coalesce(min(first_series), 0) as first_series,
  coalesce(max(last_series), -1) as last_series,
  coalesce(min(first_spelling), 0) as first_spelling,
  coalesce(max(last_spelling), -1) as last_spelling
from sliced
group by slice
order by slice
