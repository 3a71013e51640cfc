-- One row is a run of a brand of the slice as of the snapshot, known by its place in its file. A view takes no parameters, but
-- it can read variables. By the condition on `place`, DuckDB reads only the row groups of the slice.
-- Needs run, brand, cycle.
-- Makes slice_run.
set variable first_brand = $first_brand::integer;
set variable last_brand = $last_brand::integer;
set variable first_place = $first_place::bigint;
set variable last_place = $last_place::bigint;
create or replace view slice_run as
select
  (run.file_index::bigint << 32) | run.file_row_number as run_no,
  brand.brand_no,
  cycle.cycle_no,
  run.* exclude (brand_id, engine, file_index, file_row_number, place),
  run.engine::engine_slug as engine
from run
inner join brand on brand.id = run.brand_id
inner join cycle using (cycle_date)
where
  run.place between getvariable('first_place') and getvariable('last_place')
  and brand.brand_no between getvariable('first_brand') and getvariable('last_brand');
