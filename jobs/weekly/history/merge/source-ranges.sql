-- One row is a source with the range of its own series numbers in the slice.
select source, min(source_series_no) as "first", max(source_series_no) as "last"
from series_number
where series_no between $first_series and $last_series
group by source
order by source
