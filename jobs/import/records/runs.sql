-- One row is one run, as it is delivered.
-- Needs candidate, placed.
select
  candidate.id,
  brand_id,
  prompt_id,
  engine,
  strftime(cycle_date, '%Y-%m-%d') as cycle_date,
  strftime(ran_at, '%Y-%m-%dT%H:%M:%S.%fZ') as ran_at,
  status,
  model,
  answer_url,
  answer_sha256,
  mentions,
  citations
from candidate
join placed on placed.candidate = candidate.rowid
where place = 1
order by candidate.cycle_date, candidate.id, candidate.ran_at
