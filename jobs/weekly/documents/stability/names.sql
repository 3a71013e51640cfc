-- One row is an active prompt on an engine that answered it: the number of cycles in which it did.
create or replace table observed_series as
select
  history_series.series_no,
  prompt.prompt_no,
  history_series.engine,
  list_sum(list_transform([*columns('^cycles_')], lambda bits: bit_count(bits)))::integer as observed
from history_series
inner join prompt on prompt.brand_no = history_series.brand_no and prompt.id = history_series.prompt_id
where history_series.series_no between $first_series and $last_series and prompt.is_active;

-- One row is a spelling with the name that it stands for (methodology, Stability) and the entity that it would be listed as.
-- Entities are numbered by brand in the order of their text.
create or replace table identified as
with
tidied as (
  select *, tidy(name) as entity from history_spelling
  where spelling_no between $first_spelling and $last_spelling and brand_no is not null
),
named as (
  select
    tidied.spelling_no,
    tidied.brand_no,
    tidied.entity,
    case
      when tidied.subject = 'brand' then 'brand'
      when competitor.id is not null then 'competitor ' || competitor.id::varchar
      else 'other ' || lower_case(tidied.entity)
    end as name
  from tidied
  left join competitor on competitor.brand_no = tidied.brand_no and competitor.id = tidied.competitor_id
)
select
  spelling_no,
  entity,
  name = 'brand' as is_brand,
  dense_rank() over (order by brand_no, name)::integer as name_no,
  dense_rank() over (order by brand_no, entity)::integer as entity_no
from named;

-- One row is a name in the answers to a prompt on an engine: in how many cycles it appears, and its most frequent entity.
create or replace table series_name as
with
form as (
  select
    slice_name.series_no,
    identified.name_no,
    identified.entity_no,
    identified.is_brand,
    sum(slice_name.entries) as entries,
    bit_or(columns('^cycles_'))
  from slice_name
  inner join identified using (spelling_no)
  group by all
),
name as (
  select
    series_no,
    name_no,
    is_brand,
    -- Most entries first, then the smallest entity, in one number: both are below 2^31.
    arg_max(entity_no, entries::bigint * 2147483648 - entity_no) as entity_no,
    bit_or(columns('^cycles_'))
  from form
  group by series_no, name_no, is_brand
)
select
  series_no,
  is_brand,
  entity_no,
  list_sum(list_transform([*columns('^cycles_')], lambda bits: bit_count(bits)))::integer as cycles
from name;
