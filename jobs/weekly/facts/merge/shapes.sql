-- One row of a no_* table would be a row of that relation of a fact: they are empty, and say what its columns are.
create or replace table no_scores (
  brand_id uuid, engine varchar, cycle_date date, runs integer, answered integer, named integer
);
create or replace table no_outside_runs (brand_id uuid, cycle_date date, runs integer);
create or replace table no_series (series_no integer, brand_id uuid, prompt_id uuid, engine varchar, cycles_0 bigint);
create or replace table no_results (series_no integer, cycle_date date, "position" bigint);
create or replace table no_spellings (
  spelling_no integer, brand_id uuid, subject varchar, competitor_id uuid, name varchar
);
create or replace table no_names (series_no integer, spelling_no integer, entries integer, cycles_0 bigint);
