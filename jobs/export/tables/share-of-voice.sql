-- One row per snapshot, brand and name whose mentions are counted, the brand and its competitors: shareOfVoice of the
-- competitors document. Percentages are 0 to 100.
select
  key.*,
  number as rank,
  entry.name as name,
  entry.isBrand as is_brand,
  entry.mentions as mentions,
  entry.sovPct as sov_pct,
  entry.lowPct as low_pct,
  entry.highPct as high_pct,
  entry.halfWidthPp as half_width_pp,
  entry.tiedWithBrand as tied_with_brand,
  entry.tiedForLead as tied_for_lead
from entries_of(from_json(
  competitors,
  '{"data": {"shareOfVoice": [{
    "name": "VARCHAR", "isBrand": "BOOLEAN", "mentions": "BIGINT", "sovPct": "DOUBLE", "lowPct": "DOUBLE",
    "highPct": "DOUBLE", "halfWidthPp": "DOUBLE", "tiedWithBrand": "BOOLEAN", "tiedForLead": "BOOLEAN"
  }]}}'
).data.shareOfVoice)
order by key.sequence, place, number
