-- One row is a citation in an answer of a web-grounded engine in the window.
with
entry as (
  select run_no, brand_no, unnest(citations) as entry from recent_run
  where status = 'success' and list_contains($web_grounded, engine::varchar)
)
select run_no, brand_no, entry.host as domain, entry.source_type as source_type
from entry
