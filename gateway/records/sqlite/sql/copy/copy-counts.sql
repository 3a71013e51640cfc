-- One row is the copied minute count of a workspace.
insert into minute_counts (workspace, minute, requests)
select value ->> 'number', value ->> 'minute', value ->> 'requests'
from json_each(?1)
returning workspace
