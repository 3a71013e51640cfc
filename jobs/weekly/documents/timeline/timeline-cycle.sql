-- One row is a cycle of an engine that answered for a brand: its newest $timeline_size ones.
-- Needs score.
select brand_no, engine, cycle_no, cycle_date, answers, answered
from score
qualify row_number() over (partition by brand_no, engine order by cycle_no desc) <= $timeline_size
