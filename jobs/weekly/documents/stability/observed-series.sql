-- One row is an active prompt on an engine that answered it: the number of cycles in which it did.
select
  history_series.series_no,
  prompt.prompt_no,
  history_series.engine,
  list_sum(list_transform([*columns('^cycles_')], lambda bits: bit_count(bits)))::integer as observed
from history_series
inner join prompt on prompt.brand_no = history_series.brand_no and prompt.id = history_series.prompt_id
where history_series.series_no between $first_series and $last_series and prompt.is_active
