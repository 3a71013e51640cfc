-- One row is a bucket of a cycle that has runs, with the earliest and latest `ran_at` in microseconds.
-- Needs cycle_run.
select bucket, epoch_us(min(ran_at))::varchar as "ranFrom", epoch_us(max(ran_at))::varchar as "ranTo"
from cycle_run
group by bucket
order by bucket
