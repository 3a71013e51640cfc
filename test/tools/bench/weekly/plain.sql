-- One row of each table below is what one document has of a brand, in one pass over the raw runs, without slices: the
-- way that anyone would write it who knows DuckDB. Numbers stand for series, a bit for each cycle. Needs the views `run`
-- and `competitor`, and the macros of methodology.sql.
create or replace table cycle as
select cycle_date, 1::hugeint << (row_number() over (order by cycle_date) - 1)::integer as bit
from (select distinct cycle_date from run);

create or replace table asked as
select
  brand_id,
  prompt_id,
  engine::varchar as engine,
  cycle_date,
  count(*) as runs,
  count(*) filter (status = 'success') as answers,
  min(list_min([m.position for m in mentions if m.subject = 'brand'])) filter (status = 'success') as position
from run
group by brand_id, prompt_id, engine, cycle_date;

create or replace table series as
select
  row_number() over ()::integer as series_no,
  brand_id,
  prompt_id,
  engine,
  count(*)::integer as observed
from asked
where answers > 0
group by brand_id, prompt_id, engine;

create or replace table mentioned as
with
entry as (
  select series.series_no, series.brand_id, cycle.bit, unnest(run.mentions) as m
  from run
  inner join series using (brand_id, prompt_id, engine)
  inner join cycle using (cycle_date)
  where run.status = 'success'
)
select
  series_no,
  brand_id,
  m.subject as subject,
  m.competitor_id as competitor_id,
  m.name as name,
  count(*)::integer as entries,
  bit_or(bit) as cycles
from entry
group by all;

create or replace table spelling as
with
text as (
  select distinct name, tidy(name) as entity from (select distinct name from mentioned)
)
select name, entity, lower_case(entity) as folded from text;

create or replace table plain_stability as
with
form as (
  select
    mentioned.series_no,
    case
      when mentioned.subject = 'brand' then 'brand'
      when competitor.id is not null then competitor.id::varchar
      else 'other ' || spelling.folded
    end as key,
    spelling.entity,
    sum(mentioned.entries)::integer as entries,
    bit_or(mentioned.cycles) as cycles
  from mentioned
  inner join spelling using (name)
  left join competitor on competitor.brand_id = mentioned.brand_id and competitor.id = mentioned.competitor_id
  group by all
),
name as (
  select
    series_no,
    arg_min(entity, {fewer: -entries, entity: entity}) as entity,
    bit_count(bit_or(cycles)) as cycles
  from form
  group by series_no, key
)
select
  series.brand_id,
  series.prompt_id,
  series.engine,
  any_value(series.observed) as observed,
  list({entity: name.entity, cycles: name.cycles} order by name.cycles desc, name.entity)
    filter (name.entity is not null) as names
from series
left join name using (series_no)
group by series.brand_id, series.prompt_id, series.engine;

create or replace table plain_visibility as
select
  brand_id,
  engine,
  cycle_date,
  count(*) filter (answers > 0) as answered,
  count(position) as named
from asked
group by all;

create or replace table plain_results as
select * from asked
where answers > 0
qualify row_number() over (partition by brand_id, prompt_id, engine order by cycle_date desc) <= 2;

create or replace table plain_competitors as
with entry as (select brand_id, unnest(mentions) as m from run where ran_at > make_timestamp($since::bigint))
select brand_id, coalesce(m.competitor_id::varchar, m.subject) as name, count(*) as mentions
from entry
where m.subject != 'other'
group by all;

create or replace table plain_sources as
with entry as (
  select brand_id, id, len(mentions) as mentions, unnest(citations) as c from run
  where ran_at > make_timestamp($since::bigint)
)
select brand_id, c.host as host, mode(c.source_type) as source_type, count(*) as citations, sum(mentions) as mentions
from entry
group by all;

create or replace table plain_timeline as
with entry as (
  select brand_id, prompt_id, engine::varchar as engine, cycle_date, unnest(mentions) as m from run where status = 'success'
)
select
  brand_id,
  engine,
  cycle_date,
  coalesce(m.competitor_id::varchar, m.subject) as name,
  count(distinct prompt_id) as prompts
from entry
where m.subject != 'other'
group by all;
