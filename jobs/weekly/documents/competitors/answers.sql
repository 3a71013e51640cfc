-- One row is a brand with answered runs in the window: their number.
-- Feeds answers.
select brand_no as "brandNo", count(*)::integer as answers
from window_run
where status = 'success' and brand_no between $first_brand and $last_brand
group by brand_no
order by brand_no
