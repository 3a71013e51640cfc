-- One row is a spelling in a series of the cycle, with its mention entries.
select brand_no, series, spelling_no, entries
from naming
order by brand_no, series, spelling_no
