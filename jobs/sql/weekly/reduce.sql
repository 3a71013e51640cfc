-- One row of `answered_prompt` is a prompt that was answered for a brand in the cycles whose runs are `reduced_run`, both
-- numbered in the order of their ids. With an engine it makes a series, numbered prompt_no * 8 + the engine's place; a
-- series in a cycle is an observation, numbered series * the number of $dates + the cycle's place among them.
create or replace table answered_prompt as
with
answered as (
  select distinct brand_id, prompt_id from reduced_run
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

-- One row of `reduced_cycle` is a cycle that is reduced.
create or replace table reduced_cycle as
select unnest($dates)::date as cycle_date, generate_subscripts($dates, 1)::integer - 1 as cycle_no;

-- One row of `answer` is an answered run.
create or replace view answer as
select
  answered_prompt.brand_no,
  (answered_prompt.prompt_no * 8 + enum_code(run.engine::engine_slug)) * (select count(*)::integer from reduced_cycle)
  + reduced_cycle.cycle_no as observation,
  run.mentions
from reduced_run as run
inner join answered_prompt using (brand_id, prompt_id)
inner join reduced_cycle using (cycle_date)
where run.status = 'success';

-- One row of `observed` is an observation.
create or replace table observed as
select distinct brand_no, observation from answer;

-- One row of `spelling` is a text by which somebody was named for a brand, with the observation of each of its mention
-- entries. One group by for everything: entries as rows of their own, numbered by a join, took almost three times as long.
create or replace table spelling as
with
entry as (
  select brand_no, observation, unnest(mentions) as entry from answer
)
select
  brand_no,
  entry.subject as subject,
  entry.competitor_id as competitor_id,
  entry.name as name,
  list(observation) as observations
from entry
group by all;
