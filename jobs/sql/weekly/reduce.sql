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

-- One row of `spelling` is a text by which somebody was named for a brand, with the series of each of its mention entries.
-- One group by for everything: entries as rows of their own, numbered by a join, took almost three times as long.
create table spelling as
with
entry as (
  select brand_no, series, unnest(mentions) as entry from answer
)
select
  brand_no,
  entry.subject as subject,
  entry.competitor_id as competitor_id,
  entry.name as name,
  list(series) as series
from entry
group by all;
