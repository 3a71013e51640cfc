-- One row per snapshot, brand and cited domain: the sources document. NULL in answers means that the snapshot is older
-- than the field.
with given as (
  select key, place, from_json(
    sources,
    '{"data": {"sources": [{
      "domain": "VARCHAR", "count": "BIGINT", "sourceType": "VARCHAR", "competitorMentions": "BIGINT",
      "brandMentions": "BIGINT", "gap": "BIGINT", "answers": "BIGINT", "isOwnDomain": "BOOLEAN"
    }]}}'
  ).data.sources as sources
  from published
),

listed as (select key, place, unnest(sources) as source, generate_subscripts(sources, 1) as rank from given)

select
  key.*,
  rank,
  source.domain as domain,
  source.count as count,
  source.sourceType as source_type,
  source.competitorMentions as competitor_mentions,
  source.brandMentions as brand_mentions,
  source.gap as gap,
  source.answers as answers,
  source.isOwnDomain as is_own_domain
from listed
order by key.sequence, place, rank
