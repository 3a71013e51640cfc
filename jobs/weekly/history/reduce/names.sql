-- One row is a spelling in a series: its mention entries, and the cycles in which it appears, a bit each.
select mentioned.series_no, spellings.spelling_no, mentioned.entries, columns('^cycles_')
from mentioned
inner join spellings
  on
    spellings.brand_id = mentioned.brand_id
    and spellings.subject = mentioned.subject
    and spellings.competitor_id is not distinct from mentioned.competitor_id
    and spellings.name = mentioned.name
order by mentioned.series_no, spellings.spelling_no
