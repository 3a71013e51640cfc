-- One row per snapshot and brand: the numbers that its documents give once. Percentages are 0 to 100; NULL means that
-- nothing was mentioned.
-- Needs published.
select
  key.*,
  brand ->> '$.domain' as brand_domain,
  cast(brand ->> '$.createdAt' as timestamptz) as brand_created_at,
  published_at,
  methodology_version,
  visibility.overallVisibility as overall_visibility,
  visibility.signals.answers as answers,
  visibility.signals.answersNaming as answers_naming,
  visibility.signals.mentions as mentions,
  visibility.signals.positive as positive,
  visibility.signals.neutral as neutral,
  visibility.signals.negative as negative,
  visibility.signals.netSentiment as net_sentiment,
  visibility.signals.avgPosition as avg_position,
  competitors.totalMentions as total_mentions,
  competitors.noiseFloorPp as noise_floor_pp,
  sources.answers as source_answers,
  sources.answersCiting as answers_citing,
  sources.ownSite.citations as own_site_citations,
  sources.ownSite.answers as own_site_answers
from published
order by key.sequence, place
