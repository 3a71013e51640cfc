-- One row per snapshot, brand and event: events of the visibility document, oldest first. NULL in engine means that the
-- event is about all engines.
select
  key.*,
  entry.date as date,
  entry.slug as engine,
  entry.text as text,
  entry.url as url
from entries_of(visibility.events)
order by key.sequence, place, number
