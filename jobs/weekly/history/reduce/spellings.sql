-- One row is a *spelling*: a text in the mentions of a brand's answers, with what the entry says it names.
with
spelling as (
  select distinct brand_id, subject, competitor_id, name from mentioned
)
select
  ($spellings_before + row_number() over (order by brand_id, subject, competitor_id, name))::integer as spelling_no,
  brand_id,
  subject,
  competitor_id,
  name
from spelling
order by spelling_no
