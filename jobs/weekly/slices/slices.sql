-- One row is a slice: consecutive brands in the order of publication, with about as many runs as any other slice, and the
-- range of places that their runs have. A brand that moved makes the range wide: it costs time to read, and nothing else.
-- Needs brand, ran, run_brand.
with
counted as (
  select brand.brand_no, coalesce(sum(ran.runs), 0) + 1 as runs
  from brand
  left join ran on ran.brand_id = brand.id
  group by brand.brand_no
),
placed as (
  select brand.brand_no, min(run_brand.place) as first_place, max(run_brand.place) as last_place
  from brand
  inner join run_brand on run_brand.brand_id = brand.id
  group by brand.brand_no
),
sliced as (
  select brand_no, (sum(runs) over (order by brand_no) - 1) * $slices // sum(runs) over () as slice from counted
)
select
  min(sliced.brand_no) as first_brand,
  max(sliced.brand_no) as last_brand,
  coalesce(min(placed.first_place), 0) as first_place,
  coalesce(max(placed.last_place), 0) as last_place
from sliced
left join placed using (brand_no)
group by sliced.slice
order by sliced.slice
