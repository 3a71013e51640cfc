-- One row per snapshot, brand and cited domain: the sources document.
select
  key.*,
  number as rank,
  entry.domain as domain,
  entry.count as count,
  entry.sourceType as source_type,
  entry.competitorMentions as competitor_mentions,
  entry.brandMentions as brand_mentions,
  entry.gap as gap,
  entry.answers as answers,
  entry.isOwnDomain as is_own_domain
from entries_of(sources.sources)
order by key.sequence, place, number
