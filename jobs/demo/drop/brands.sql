-- One row is one brand, as it is delivered.
select id, workspace_id, name, domain, demo_instant(created_at) as created_at
from demo_brand
order by brand
