-- One row is a prompt asked on an engine for a brand in a cycle: its runs, how many of them were answered, and the brand's
-- best position in the answers, NULL where none names it.
create or replace table asked as
select
  brand_id,
  prompt_id,
  engine,
  cycle_date,
  count(*) as runs,
  count(*) filter (status = 'success') as answers,
  min(
    case when status = 'success' then list_min(
      list_transform(
        list_filter(mentions, lambda entry: entry.subject = 'brand'), lambda entry: entry.position
      )
    ) end
  ) as position
from slice_run
group by brand_id, prompt_id, engine, cycle_date;

-- One row is a *series*: a prompt that was answered on an engine for a brand, with the cycles in which it was, a bit each.
create or replace table series as
with
answered as (
  select asked.brand_id, asked.prompt_id, asked.engine, bit_or(columns('^cycles_'))
  from asked
  inner join cycle using (cycle_date)
  where asked.answers > 0
  group by asked.brand_id, asked.prompt_id, asked.engine
)
select
  ($series_before + row_number() over (order by brand_id, prompt_id, engine))::integer as series_no,
  brand_id,
  prompt_id,
  engine,
  columns('^cycles_')
from answered
order by series_no;

-- One row is a text in the mentions of a series: how many entries it has, and in which cycles.
create or replace table mentioned as
with
entry as (
  select series.series_no, series.brand_id, cycle.* exclude (cycle_date), unnest(run.mentions) as entry
  from slice_run as run
  inner join series using (brand_id, prompt_id, engine)
  inner join cycle using (cycle_date)
  where run.status = 'success'
)
select
  series_no,
  brand_id,
  entry.subject as subject,
  entry.competitor_id as competitor_id,
  entry.name as name,
  count(*)::integer as entries,
  bit_or(columns('^cycles_'))
from entry
group by all;

-- One row is a *spelling*: a text in the mentions of a brand's answers, with what the entry says it names.
create or replace table spellings as
with
spelling as (
  select distinct brand_id, subject, competitor_id, name from mentioned
)
select
  ($spellings_before + row_number() over (order by brand_id, subject, competitor_id, name))::integer as spelling_no,
  brand_id,
  subject,
  competitor_id,
  name
from spelling
order by spelling_no;

-- One row is a spelling in a series: its mention entries, and the cycles in which it appears, a bit each.
create or replace view names as
select mentioned.series_no, spellings.spelling_no, mentioned.entries, columns('^cycles_')
from mentioned
inner join spellings
  on
    spellings.brand_id = mentioned.brand_id
    and spellings.subject = mentioned.subject
    and spellings.competitor_id is not distinct from mentioned.competitor_id
    and spellings.name = mentioned.name
order by mentioned.series_no, spellings.spelling_no;

-- One row is a brand on an engine in a cycle: its runs, the answered ones, prompts answered and prompts that named
-- it.
create or replace view scores as
select
  brand_id,
  engine,
  cycle_date,
  sum(runs)::integer as runs,
  sum(answers)::integer as answers,
  (count(*) filter (answers > 0))::integer as answered,
  count(position)::integer as named
from asked
group by brand_id, engine, cycle_date
order by brand_id, engine, cycle_date;

-- One row is a model that answered for a brand on an engine in a cycle, as it was delivered.
create or replace view models as
select distinct brand_id, engine, cycle_date, model
from slice_run
where status = 'success' and model is not null
order by brand_id, engine, cycle_date, model;

-- One row is a series in one of the newest two cycles that answered it, with the brand's best position in the answers,
-- NULL where none names it.
create or replace view results as
select series.series_no, asked.cycle_date, asked.position
from asked
inner join series using (brand_id, prompt_id, engine)
where asked.answers > 0
qualify row_number() over (partition by series.series_no order by asked.cycle_date desc) <= 2
order by series.series_no, asked.cycle_date;

-- One row is an answer of a series in its newest cycle that has a link or a hash.
create or replace view evidence as
with
newest as (
  select brand_id, prompt_id, engine, max(cycle_date) as cycle_date
  from asked
  where answers > 0
  group by brand_id, prompt_id, engine
)
select series.series_no, run.cycle_date, run.ran_at, run.id, run.answer_url, run.answer_sha256
from slice_run as run
inner join newest using (brand_id, prompt_id, engine, cycle_date)
inner join series using (brand_id, prompt_id, engine)
where run.status = 'success' and (run.answer_url is not null or run.answer_sha256 is not null)
order by series.series_no, run.ran_at, run.id;

-- One row is a brand outside the scope with its runs in a cycle.
create or replace view outside_runs as
select every_run.brand_id, every_run.cycle_date, count(*)::integer as runs
from every_run
anti join brand on brand.id = every_run.brand_id
group by every_run.brand_id, every_run.cycle_date
order by every_run.brand_id, every_run.cycle_date;
