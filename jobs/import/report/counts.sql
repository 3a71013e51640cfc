-- The one row has the answers that were read, those that are runs, those that are not because they came again or because the
-- cycle has another, and the newest cycle; NULL without runs.
select
  (select count(*) from candidate)::double as read,
  count(*)::double as kept,
  coalesce(sum(repeated), 0)::double as repeated,
  coalesce(sum(others), 0)::double as others,
  (select max(cycle_date)::varchar from candidate where reason is null) as "newestCycle"
from picked
