-- One row is an engine with answered runs for a brand in the window: their number.
-- Needs window_run.
-- Feeds answers, perEngine[].slug, perEngine[].answers, perEngine[].totalMentions.
select brand_no as "brandNo", engine::varchar as slug, count(*)::integer as answers
from window_run
where status = 'success'
group by brand_no, engine
order by brand_no, engine
