-- One row is a brand in the scope on an engine in a cycle: its runs, the answered ones, prompts answered and prompts
-- that named it.
create or replace table score as
select brand_id, engine::engine_slug as engine, cycle_date, runs, answers, answered, named
from source_scores
where not $only_published or brand_id in (select id from brand);

-- One row is a model that answered for a brand in the scope on an engine in a cycle, as it was delivered.
create or replace table model as
select * exclude (source) from source_models semi join score using (brand_id, engine, cycle_date);

-- One row is a brand outside the scope with its runs in a cycle.
create or replace table outside_run as
with
outside as (
  select brand_id, cycle_date, runs from source_outside_runs
  union all
  select brand_id, cycle_date, runs from source_scores
  where $only_published and brand_id not in (select id from brand)
)
select brand_id, cycle_date, sum(runs)::integer as runs
from outside
group by brand_id, cycle_date;

-- One row is a series of a source, with its number in the history: brands to be published come first, in their order.
create or replace table series_number as
select
  source_series.source,
  source_series.series_no as source_series_no,
  dense_rank() over (
    order by brand.brand_no nulls last, source_series.brand_id, source_series.prompt_id, source_series.engine
  )::integer as series_no,
  brand.brand_no,
  source_series.brand_id,
  source_series.prompt_id,
  source_series.engine,
  columns('^cycles_')
from source_series
left join brand on brand.id = source_series.brand_id
where brand.id is not null or not $only_published;

-- One row is a series: a prompt that was answered on an engine for a brand, and the cycles in which it was.
create or replace table history_series as
select
  series_no,
  brand_no,
  brand_id,
  prompt_id,
  engine,
  coalesce(bit_or(columns('^cycles_')), 0)
from series_number
group by series_no, brand_no, brand_id, prompt_id, engine
order by series_no;

-- One row is a series in one of the newest two cycles that answered it, with the brand's best position in the answers,
-- NULL where none names it. No cycle of a series is in two sources.
create or replace table history_result as
select series_number.series_no, source_results.cycle_date, source_results.position
from source_results
inner join series_number
  on series_number.source = source_results.source and series_number.source_series_no = source_results.series_no
qualify row_number() over (partition by series_number.series_no order by source_results.cycle_date desc) <= 2
order by series_number.series_no, source_results.cycle_date;

-- One row is an answer of a series in its newest cycle that has a link or a hash. Materialized first, because DuckDB
-- may join with the newest cycles by date alone: at 100 brands 120 million rows.
create or replace table history_evidence as
with
numbered as materialized (
  select
    series_number.series_no,
    source_evidence.cycle_date,
    source_evidence.ran_at,
    source_evidence.id,
    source_evidence.answer_url,
    source_evidence.answer_sha256
  from source_evidence
  inner join series_number
    on series_number.source = source_evidence.source and series_number.source_series_no = source_evidence.series_no
),
newest as (
  select series_no, max(cycle_date) as cycle_date from history_result
  group by series_no
)
from numbered
semi join newest using (series_no, cycle_date)
order by series_no, ran_at, id;

-- One row is a spelling of a source, with its number in the history: in the same order of brands as series.
create or replace table spelling_number as
select
  source_spellings.source,
  source_spellings.spelling_no as source_spelling_no,
  dense_rank() over (
    order by
      brand.brand_no nulls last,
      source_spellings.brand_id,
      source_spellings.subject,
      source_spellings.competitor_id,
      source_spellings.name
  )::integer as spelling_no,
  brand.brand_no,
  source_spellings.brand_id,
  source_spellings.subject,
  source_spellings.competitor_id,
  source_spellings.name
from source_spellings
left join brand on brand.id = source_spellings.brand_id
where brand.id is not null or not $only_published;

-- One row is a spelling: a text in the mentions of a brand's answers, with what the entries say it names.
create or replace table history_spelling as
select distinct spelling_no, brand_no, brand_id, subject, competitor_id, name
from spelling_number
order by spelling_no;
