-- One row is the one run of a prompt, an engine and a cycle that is kept: the one nearest to the start of the cycle.
-- A failed run measured nothing, so it is kept only where the cycle has no other.
create or replace temp table picked as
with
given as (
  select
    * exclude (mentions, citations),
    rowid as candidate,
    -- DuckDB's own hash may change with its version; of two runs that differ in nothing else this chooses.
    md5_number(to_json({
      'status': status, 'model': model, 'url': answer_url, 'sha256': answer_sha256, 'mentions': mentions, 'citations': citations
    })) as content
  from candidate
  where reason is null
),
answer as (
  select
    prompt_id,
    engine,
    cycle_date,
    count(*) as answers,
    min({'failed': status = 'failed', 'ran_at': ran_at, 'id': id, 'content': content, 'candidate': candidate}) as first
  from given
  group by prompt_id, engine, cycle_date, id, content
)
select min(first).candidate as candidate, sum(answers) - count(*) as repeated, count(*) - 1 as others
from answer
group by prompt_id, engine, cycle_date;
