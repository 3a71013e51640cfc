-- One row is a spelling of a source, with its number in the history: in the same order of brands as series.
select
  source_spelling.source,
  source_spelling.source_spelling_no,
  dense_rank() over (
    order by
      brand.brand_no nulls last,
      source_spelling.brand_id,
      source_spelling.subject,
      source_spelling.competitor_id,
      source_spelling.name
  )::integer as spelling_no,
  brand.brand_no,
  source_spelling.brand_id,
  source_spelling.subject,
  source_spelling.competitor_id,
  source_spelling.name
from source_spelling
left join brand on brand.id = source_spelling.brand_id
