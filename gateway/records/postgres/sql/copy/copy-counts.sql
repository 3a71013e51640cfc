-- One row is the copied minute count of a workspace.
insert into sightline.minute_counts (workspace, minute, requests)
select number, minute, requests
from jsonb_to_recordset($1::text::jsonb) as source (number integer, minute integer, requests bigint)
returning workspace
