-- One row is an answer of a series in its newest cycle that has a link or a hash.
with
newest as (
  select series_no, max(cycle_date) as cycle_date from history_result
  group by series_no
)
select
  newest.series_no,
  newest.cycle_date,
  source_evidence.ran_at,
  source_evidence.id,
  source_evidence.answer_url,
  source_evidence.answer_sha256
from source_evidence
inner join series_number
  on series_number.source = source_evidence.source and series_number.source_series_no = source_evidence.series_no
inner join newest
  on newest.series_no = series_number.series_no and newest.cycle_date = source_evidence.cycle_date
order by newest.series_no, source_evidence.ran_at, source_evidence.id
