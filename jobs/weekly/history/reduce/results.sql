-- One row is a series in one of the newest two cycles that answered it, with the brand's best position in the answers,
-- NULL where none names it.
select series.series_no, asked.cycle_date, asked.position
from asked
inner join series using (brand_id, prompt_id, engine)
where asked.answers > 0
qualify row_number() over (partition by series.series_no order by asked.cycle_date desc) <= 2
order by series.series_no, asked.cycle_date
