-- One row is a series of a source, with its number in the history: brands to be published come first, in their order.
select
  source_series.source,
  source_series.series_no as source_series_no,
  dense_rank() over (
    order by brand.brand_no nulls last, source_series.brand_id, source_series.prompt_id, source_series.engine
  )::integer as series_no,
  brand.brand_no,
  source_series.brand_id,
  source_series.prompt_id,
  source_series.engine,
  columns('^cycles_')
from source_series
left join brand on brand.id = source_series.brand_id
where brand.id is not null or not $only_published
