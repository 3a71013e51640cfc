-- What the answers of the slice are reduced to. A *series* is a prompt that was answered on an engine for a brand; a bit string
-- has a bit for each cycle of the lake, the first one for cycle 1.
-- Needs slice_run.
-- Makes answered, series, result, evidence, score, model, mentioned.

-- One row is a series in a cycle: its answers, and the brand's best position in them, NULL where none names it.
create or replace table answered as
select
  brand_no,
  prompt_id,
  engine,
  cycle_no,
  cycle_date,
  count(*)::integer as answers,
  min(list_min([m.position for m in mentions if m.subject = 'brand'])) as position
from slice_run
where status = 'success'
group by all;

-- One row is a series, with its cycles.
create or replace table series as
with
each as (
  select brand_no, prompt_id, engine, bitstring_agg(cycle_no, 1, $cycles) as cycles, max(cycle_no) as newest
  from answered
  group by all
)
select row_number() over (order by brand_no, prompt_id, engine)::integer as series_no, * from each;

-- One row is a series in one of the newest two cycles that answered it; age 1 is the newest.
create or replace table result as
select
  series.series_no,
  answered.cycle_date,
  answered.position,
  row_number() over (partition by series.series_no order by answered.cycle_no desc) as age
from answered
inner join series using (brand_no, prompt_id, engine)
qualify age <= 2;

-- One row is an answer of a series in its newest cycle that has a link or a hash. The CTE is materialised, because DuckDB
-- could otherwise join by the cycle alone: answers of the week times series of the week.
create or replace table evidence as
with
numbered as materialized (
  select series.series_no, series.newest, run.cycle_no, run.ran_at, run.id, run.answer_url, run.answer_sha256
  from slice_run as run
  inner join series using (brand_no, prompt_id, engine)
  where run.status = 'success' and (run.answer_url is not null or run.answer_sha256 is not null)
)
select series_no, ran_at, id, answer_url, answer_sha256
from numbered
where cycle_no = newest;

-- One row is a brand on an engine in a cycle: answers, prompts answered and prompts that named it.
create or replace table score as
select
  brand_no,
  engine,
  cycle_date,
  cycle_no,
  sum(answers)::integer as answers,
  count(*)::integer as answered,
  count(position)::integer as named
from answered
group by all;

-- One row is a model that answered for a brand on an engine in a cycle, as it was delivered.
create or replace table model as
select distinct brand_no, engine, cycle_date, model
from slice_run
where status = 'success' and model is not null;

-- One row is a text in the mentions of a series, with what the entries say it names: how many there are, and their cycles. For
-- a document of who was named week by week, it and `series` have all that is needed.
create or replace table mentioned as
with
entry as (
  select series.series_no, series.brand_no, run.cycle_no, unnest(run.mentions) as m
  from slice_run as run
  inner join series using (brand_no, prompt_id, engine)
  where run.status = 'success'
)
select
  series_no,
  brand_no,
  -- Grouping by texts would take a quarter more time.
  m.subject::subject as subject,
  m.competitor_id as competitor_id,
  m.name as name,
  count(*)::integer as entries,
  bitstring_agg(cycle_no, 1, $cycles) as cycles
from entry
group by all;
