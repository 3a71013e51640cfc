-- One row is a spelling in a series of the slice: its mention entries, and the cycles in which it appears.
with
series as (
  select source, source_series_no, series_no from series_number
  where series_no between $first_series and $last_series
),
spelling as (
  select source, source_spelling_no, spelling_no from spelling_number
  where spelling_no between $first_spelling and $last_spelling
)
select
  series.series_no,
  spelling.spelling_no,
  sum(source_names.entries)::integer as entries,
  coalesce(bit_or(columns('^cycles_')), 0)
from source_names
inner join series
  on series.source = source_names.source and series.source_series_no = source_names.series_no
inner join spelling
  on spelling.source = source_names.source and spelling.source_spelling_no = source_names.spelling_no
group by series.series_no, spelling.spelling_no
