-- One row is a name in the answers to a prompt on an engine: in how many cycles it appears, and its most frequent entity.
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
from name
