-- One row is one file of runs that has some of more than a day after $as_of: how many; and how many do not exist as of then
-- (`hidden`), NULL if some of these are of the next day and may only be late.
select
  file_index::integer as file,
  (count(*) filter (ran_at > make_timestamp($as_of::bigint) + interval 1 day))::double as runs,
  case
    when min(ran_at) filter (ran_at > make_timestamp($as_of::bigint)) > make_timestamp($as_of::bigint) + interval 1 day
      then (count(*) filter (ran_at > make_timestamp($as_of::bigint)))::double
  end as hidden
from future_run
group by file_index
