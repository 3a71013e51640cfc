-- One row is one week of the drop: its number, from 0, and the date of its cycle.
select week::integer as week, strftime(last_cycle - to_days(7 * (cycles - 1 - week)::integer), '%Y-%m-%d') as date
from demo_options
cross join range(cycles) as weeks (week)
order by week
