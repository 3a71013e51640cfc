-- One row of `answered_prompt` is a prompt that an engine answered in a cycle, and whether it named the brand;
-- one row of `named` is a spelling by which somebody was named there, with the number of mention entries.
create table answered_prompt as
select
  brand_id,
  prompt_id,
  engine,
  cycle_date,
  bool_or(list_contains(list_transform(mentions, lambda m: m.subject), 'brand')) as is_named
from run
where status = 'success'
group by all;

create table named as
with
mention as (
  select brand_id, prompt_id, engine, cycle_date, unnest(mentions) as entry
  from run
  where status = 'success'
),
final as (
  select
    brand_id,
    prompt_id,
    engine,
    cycle_date,
    entry.subject as subject,
    entry.competitor_id as competitor_id,
    entry.name as name,
    count(*) as entries
  from mention
  group by all
)
select * from final;
