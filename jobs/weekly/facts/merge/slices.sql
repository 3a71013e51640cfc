-- One row is a slice: brands in the order of publication, with about as many series as any other slice has, and at last
-- those that are not published. What a slice has none of is NULL.
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
  min(brand_no) as "firstBrand",
  max(brand_no) as "lastBrand",
  min(first_series) as "firstSeries",
  max(last_series) as "lastSeries",
  min(first_spelling) as "firstSpelling",
  max(last_spelling) as "lastSpelling"
from sliced
group by slice
order by slice
