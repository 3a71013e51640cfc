-- One row is a slice of the brands in `scope_run`, in the order of their ids, with about as many runs as any other.
with
ran as (
  select brand_id, count(*) as runs from scope_run
  group by brand_id
),
placed as (
  select brand_id, (sum(runs) over (order by brand_id) - 1) * $slices // sum(runs) over () as slice from ran
)
select min(brand_id)::varchar as first, max(brand_id)::varchar as last from placed
group by slice
order by slice
