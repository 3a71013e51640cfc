-- One row is a spelling of a source, with its number in the history: in the same order of brands as series.
select
  source_spellings.source,
  source_spellings.spelling_no as source_spelling_no,
  dense_rank() over (
    order by
      brand.brand_no nulls last,
      source_spellings.brand_id,
      source_spellings.subject,
      source_spellings.competitor_id,
      source_spellings.name
  )::integer as spelling_no,
  brand.brand_no,
  source_spellings.brand_id,
  source_spellings.subject,
  source_spellings.competitor_id,
  source_spellings.name
from source_spellings
left join brand on brand.id = source_spellings.brand_id
where brand.id is not null or not $only_published
