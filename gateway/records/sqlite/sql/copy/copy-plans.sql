-- One row is a copied plan.
insert into plans (name, requests_per_minute)
select value ->> 'name', value ->> 'requestsPerMinute'
from json_each(?1)
returning name
