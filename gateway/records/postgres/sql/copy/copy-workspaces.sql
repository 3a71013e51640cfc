-- One row is a copied workspace with its number, which its keys refer to.
insert into sightline.workspaces (number, id, name, plan, requests_per_minute)
overriding system value
select number, id, name, plan, "requestsPerMinute"
from jsonb_to_recordset($1::text::jsonb)
  as source (number integer, id uuid, name text, plan text, "requestsPerMinute" integer)
returning number
