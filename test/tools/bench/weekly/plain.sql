-- One row is a brand with its lists: each statement computes a document directly, over all raw runs and without facts.
create or replace table plain_stability as
with
entry as (
  select brand_id, prompt_id, engine, cycle_date, unnest(mentions) as m from run where status = 'success'
),
name as (
  select
    brand_id,
    prompt_id,
    engine,
    case when m.subject = 'brand' then 'brand' else coalesce(m.competitor_id::varchar, lower(trim(m.name))) end as name,
    mode(trim(m.name)) as entity,
    count(distinct cycle_date) as cycles
  from entry
  group by all
),
observed as (
  select brand_id, prompt_id, engine, count(distinct cycle_date) as observed from run
  where status = 'success'
  group by all
)
select
  brand_id,
  prompt_id,
  engine,
  any_value(observed) as observed,
  list({entity: entity, stability: round(cycles / observed, 4)} order by cycles desc, entity) as names
from name inner join observed using (brand_id, prompt_id, engine)
group by brand_id, prompt_id, engine;

create or replace table plain_visibility as
select
  brand_id,
  engine,
  cycle_date,
  count(distinct prompt_id) filter (status = 'success') as answered,
  count(distinct prompt_id) filter (len(list_filter(mentions, lambda m: m.subject = 'brand')) > 0) as named
from run
group by all;

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

create or replace table plain_results as
with
answer as (
  select
    brand_id,
    prompt_id,
    engine,
    cycle_date,
    min(list_min([m.position for m in mentions if m.subject = 'brand'])) as position
  from run
  where status = 'success'
  group by all
)
select * from answer
qualify row_number() over (partition by brand_id, prompt_id, engine order by cycle_date desc) <= 2;
