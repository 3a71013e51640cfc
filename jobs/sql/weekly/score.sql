-- One row of `score` is a brand on an engine in a cycle: its runs, prompts answered and prompts that named it. Of a
-- brand outside the scope of the facts only the runs of a cycle are known: engine, answered and named are NULL.
create table score (
  brand_id uuid, engine engine_slug, cycle_date date, runs integer, answered integer, named integer
);

-- One row of `reduced_brand` is a brand in the scope.
create table reduced_brand (id uuid);
