-- One row per snapshot, brand and cited domain: the sources document. NULL in answers means that the snapshot is older
-- than the field.
select
  key.*,
  number as rank,
  source.domain as domain,
  source.count as count,
  source.sourceType as source_type,
  source.competitorMentions as competitor_mentions,
  source.brandMentions as brand_mentions,
  source.gap as gap,
  source.answers as answers,
  source.isOwnDomain as is_own_domain
from
  published,
  unnest(
    from_json(
      sources,
      '{"data": {"sources": [{
        "domain": "VARCHAR", "count": "BIGINT", "sourceType": "VARCHAR", "competitorMentions": "BIGINT",
        "brandMentions": "BIGINT", "gap": "BIGINT", "answers": "BIGINT", "isOwnDomain": "BOOLEAN"
      }]}}'
    ).data.sources
  ) with ordinality as listed (source, number)
order by key.sequence, place, number
