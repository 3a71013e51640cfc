-- One row is an active prompt on an engine that answered it: the number of cycles in which it did.
-- Needs series, prompt, mentioned, competitor.
-- Makes observed_series, identified, series_name.
create or replace table observed_series as
select series.series_no, prompt.prompt_no, series.engine, bit_count(series.cycles)::integer as observed
from series
inner join prompt on prompt.brand_no = series.brand_no and prompt.id = series.prompt_id
where prompt.is_active;

-- One row is a text in mentions of a brand with the name that it stands for (methodology, Stability) and the entity that it
-- would be listed as. Entities are numbered by brand in the order of their text.
create or replace table identified as
with
spelling as (
  select distinct brand_no, subject, competitor_id, name from mentioned
),
tidied as (
  select *, tidy(name) as entity from spelling
),
named as (
  select
    tidied.*,
    case
      when tidied.subject = 'brand' then 'brand'
      when competitor.id is not null then 'competitor ' || competitor.id::varchar
      else 'other ' || lower_case(tidied.entity)
    end as key
  from tidied
  left join competitor on competitor.brand_no = tidied.brand_no and competitor.id = tidied.competitor_id
)
select
  brand_no,
  subject,
  competitor_id,
  name,
  entity,
  key = 'brand' as is_brand,
  dense_rank() over (order by brand_no, key)::integer as name_no,
  dense_rank() over (order by brand_no, entity)::integer as entity_no
from named;

-- One row is a name in the answers to a prompt on an engine: in how many cycles it appears, and its most frequent entity.
create or replace table series_name as
with
form as (
  select
    mentioned.series_no,
    identified.name_no,
    identified.entity_no,
    identified.is_brand,
    sum(mentioned.entries) as entries,
    bit_or(mentioned.cycles) as cycles
  from mentioned
  inner join identified
    on
      identified.brand_no = mentioned.brand_no
      and identified.subject = mentioned.subject
      and identified.competitor_id is not distinct from mentioned.competitor_id
      and identified.name = mentioned.name
  group by all
)
select
  series_no,
  is_brand,
  -- Most entries first, then the smallest entity, in one number: both are below 2^31.
  arg_max(entity_no, entries::bigint * 2147483648 - entity_no) as entity_no,
  bit_count(bit_or(cycles))::integer as cycles
from form
group by series_no, name_no, is_brand;
