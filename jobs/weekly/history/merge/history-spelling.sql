-- One row is a spelling: a text in the mentions of a brand's answers, with what the entries say it names.
select distinct spelling_no, brand_no, brand_id, subject, competitor_id, name
from spelling_number
order by spelling_no
