-- One row is a copied plan.
insert into sightline.plans (name, requests_per_minute)
select name, "requestsPerMinute"
from jsonb_to_recordset($1::text::jsonb) as source (name text, "requestsPerMinute" integer)
returning name
