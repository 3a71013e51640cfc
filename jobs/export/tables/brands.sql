-- One row per snapshot and brand: the numbers that its documents give once. Percentages are 0 to 100; NULL means that
-- nothing was mentioned, or that the snapshot is older than the field.
with
given as (
  select
    *,
    from_json(
      visibility,
      '{"data": {
        "overallVisibility": "DOUBLE",
        "signals": {
          "netSentiment": "BIGINT", "positive": "BIGINT", "neutral": "BIGINT", "negative": "BIGINT",
          "avgPosition": "DOUBLE", "mentions": "BIGINT", "answers": "BIGINT", "answersNaming": "BIGINT"
        }
      }}'
    ).data as seen,
    from_json(competitors, '{"data": {"totalMentions": "BIGINT", "noiseFloorPp": "DOUBLE"}}').data as rivals
  from published
)
select
  key.*,
  brand ->> '$.domain' as brand_domain,
  cast(brand ->> '$.createdAt' as timestamptz) as brand_created_at,
  published_at,
  methodology_version,
  seen.overallVisibility as overall_visibility,
  seen.signals.answers as answers,
  seen.signals.answersNaming as answers_naming,
  seen.signals.mentions as mentions,
  seen.signals.positive as positive,
  seen.signals.neutral as neutral,
  seen.signals.negative as negative,
  seen.signals.netSentiment as net_sentiment,
  seen.signals.avgPosition as avg_position,
  rivals.totalMentions as total_mentions,
  rivals.noiseFloorPp as noise_floor_pp
from given
order by key.sequence, place
