-- One row is a run of the window that did not fail, without what it answered. Its number is its place in its file.
select run_no, brand_no, engine, status
from recent_run
where status != 'failed'
