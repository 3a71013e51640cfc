-- One row is one reason: the records that are refused for it, and how many of them are kept, $kept of each file at most.
-- Needs refused.
select
  reason,
  sum(records)::double as records,
  sum(least(records, $kept))::double as kept
from (select file, reason, sum(records) as records from refused group by file, reason)
group by reason
order by records desc, reason
