-- One row is one workspace, as it is delivered.
select id, name, demo_instant(created_at) as created_at
from demo_workspace
order by workspace
