-- One row per snapshot, brand and engine that was in use and gave no answer lately: silent of the visibility document. NULL in
-- last_answered means never.
select
  key.*,
  entry.slug as engine,
  entry.lastAnswered as last_answered,
  entry.runs as runs
from entries_of(visibility.silent)
order by key.sequence, place, number
