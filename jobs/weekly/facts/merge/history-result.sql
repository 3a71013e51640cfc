-- One row is a series in one of the newest two cycles that answered it, with the brand's best position in the answers,
-- NULL where none names it. No cycle of a series is in two sources.
select series_number.series_no, source_result.cycle_date, source_result.position
from source_result
inner join series_number using (source, source_series_no)
qualify row_number() over (partition by series_number.series_no order by source_result.cycle_date desc) <= 2
order by series_number.series_no, source_result.cycle_date
