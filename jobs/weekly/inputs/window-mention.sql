-- One row is a mention of the brand (competitor_no is NULL) or of a tracked competitor in an answer of the window.
with
entry as (
  select run_no, brand_no, prompt_id, unnest(mentions) as entry from recent_run
  where status = 'success'
)
select
  entry.run_no,
  entry.brand_no,
  entry.prompt_id,
  competitor.competitor_no,
  entry.entry.position as position,
  entry.entry.sentiment as sentiment
from entry
left join competitor on competitor.brand_no = entry.brand_no and competitor.id = entry.entry.competitor_id
where entry.entry.subject = 'brand' or competitor.competitor_no is not null
