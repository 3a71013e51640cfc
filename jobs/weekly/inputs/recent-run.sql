-- One row is a run of a brand to be published after an instant in microseconds, known by its place in its file.
select
  (run.file_index::bigint << 32) + run.file_row_number as run_no,
  brand.brand_no,
  run.prompt_id,
  run.engine::engine_slug as engine,
  run.status,
  run.mentions,
  run.citations
from run
inner join brand on brand.id = run.brand_id
where run.ran_at > make_timestamp($since::bigint)
