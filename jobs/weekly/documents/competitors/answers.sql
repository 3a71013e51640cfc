-- One row is a brand with answered runs in the window: their number.
-- Needs window_run.
-- Feeds answers.
select brand_no as "brandNo", count(*)::integer as answers
from window_run
where status = 'success'
group by brand_no
order by brand_no
