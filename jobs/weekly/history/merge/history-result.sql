-- One row is a series in one of the newest two cycles that answered it, with the brand's best position in the answers,
-- NULL where none names it. No cycle of a series is in two sources.
select series_number.series_no, source_results.cycle_date, source_results.position
from source_results
inner join series_number
  on series_number.source = source_results.source and series_number.source_series_no = source_results.series_no
qualify row_number() over (partition by series_number.series_no order by source_results.cycle_date desc) <= 2
order by series_number.series_no, source_results.cycle_date
