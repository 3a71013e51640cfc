-- One row is a tracked workspace: its name, for the auditor's list and report. No document has it.
-- Needs tracked_workspaces.
select id::varchar as id, name
from tracked_workspaces
order by id
