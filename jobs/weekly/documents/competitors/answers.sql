-- One row is a brand that was answered about in the window: its answered runs there.
-- Feeds answers.
select brand_no as "brandNo", count(*)::integer as answers
from window_run
where status = 'success' and brand_no between $first_brand and $last_brand
group by brand_no
order by brand_no
