-- One row is a copied workspace with its number, which its keys refer to.
insert into workspaces (number, id, name, plan, requests_per_minute)
select
  value ->> 'number',
  value ->> 'id',
  value ->> 'name',
  value ->> 'plan',
  value ->> 'requestsPerMinute'
from json_each(?1)
returning number
