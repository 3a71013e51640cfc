-- One row is an event that a brand may show: dated on the day of the snapshot or before. NULL: of all workspaces, of all
-- engines.
select id, workspace_id, engine, "date", tidy(text) as text, url
from tracked_events
where "date" <= $date::date
