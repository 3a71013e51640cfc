-- One row is the one run of a prompt, an engine and a cycle that is kept: the one nearest to the start of the cycle.
-- A failed run measured nothing, so it is kept only where the cycle has no other.
create or replace temp table picked as
with
run as (
  select
    prompt_id,
    engine,
    cycle_date,
    id,
    count(*) as answers,
    min({
      'failed': status = 'failed',
      'ran_at': ran_at,
      'id': id,
      'content': hash(status, mentions, citations),
      'candidate': rowid
    }) as first
  from candidate
  where reason is null
  group by prompt_id, engine, cycle_date, id
),
final as (
  select min(first).candidate as candidate, sum(answers) - count(*) as repeated, count(*) - 1 as others
  from run
  group by prompt_id, engine, cycle_date
)
select * from final;
