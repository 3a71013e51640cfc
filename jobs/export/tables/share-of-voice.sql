-- One row per snapshot, brand and name whose mentions are counted, the brand and its competitors: shareOfVoice of the
-- competitors document. Percentages are 0 to 100.
with given as (
  select key, place, from_json(
    competitors,
    '{"data": {"shareOfVoice": [{
      "name": "VARCHAR", "isBrand": "BOOLEAN", "mentions": "BIGINT", "sovPct": "DOUBLE", "lowPct": "DOUBLE",
      "highPct": "DOUBLE", "halfWidthPp": "DOUBLE", "tiedWithBrand": "BOOLEAN", "tiedForLead": "BOOLEAN"
    }]}}'
  ).data.shareOfVoice as shares
  from published
),

listed as (select key, place, unnest(shares) as share, generate_subscripts(shares, 1) as rank from given)

select
  key.*,
  rank,
  share.name as name,
  share.isBrand as is_brand,
  share.mentions as mentions,
  share.sovPct as sov_pct,
  share.lowPct as low_pct,
  share.highPct as high_pct,
  share.halfWidthPp as half_width_pp,
  share.tiedWithBrand as tied_with_brand,
  share.tiedForLead as tied_for_lead
from listed
order by key.sequence, place, rank
