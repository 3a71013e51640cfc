-- One row of `answered_prompt` is a prompt that was answered for a brand in the cycle whose runs are `cycle_run`, both
-- numbered in the order of their ids. With an engine it makes a series, numbered prompt_no * 8 + the engine's place.
create table answered_prompt as
with
answered as (
  select distinct brand_id, prompt_id from cycle_run
  where status = 'success'
),
final as (
  select
    brand_id,
    prompt_id,
    dense_rank() over (order by brand_id)::integer as brand_no,
    (row_number() over (partition by brand_id order by prompt_id) - 1)::integer as prompt_no
  from answered
)
select * from final;

-- One row of `answer` is an answered run.
create view answer as
select
  answered_prompt.brand_no,
  answered_prompt.prompt_no * 8 + enum_code(run.engine::engine_slug) as series,
  run.mentions
from cycle_run as run
inner join answered_prompt using (brand_id, prompt_id)
where run.status = 'success';

-- One row of `mention` is a mention entry.
create table mention as
with
entry as (
  select brand_no, series, unnest(mentions) as entry from answer
)
select
  brand_no,
  series,
  entry.subject::mention_subject as subject,
  entry.competitor_id as competitor_id,
  entry.name as name
from entry;

-- One row of `spelling` is a text by which somebody was named for a brand, numbered from 0.
create table spelling as
with
spelt as (
  select distinct brand_no, subject, competitor_id, name from mention
),
final as (
  select
    *,
    (row_number() over (partition by brand_no order by subject, competitor_id, name) - 1)::integer as spelling_no,
    tidy(name) as entity
  from spelt
)
select *, lower_case(entity) as folded from final;

-- One row of `naming` is a spelling in a series, with its mention entries.
create table naming as
select mention.brand_no, mention.series, spelling.spelling_no, count(*)::integer as entries
from mention
-- Names differ most, so they are compared first; a null id would make the join as slow as one without a key.
inner join spelling using (brand_no, name, subject)
where mention.competitor_id is not distinct from spelling.competitor_id
group by mention.brand_no, mention.series, spelling.spelling_no
