-- One row per snapshot, brand and name whose mentions are counted, the brand and its competitors: shareOfVoice of the
-- competitors document. Percentages are 0 to 100. NULL in a gap means the first row, or too few prompts.
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
  entry.tiedForLead as tied_for_lead,
  entry.answersNaming as answers_naming,
  entry.presencePct as presence_pct,
  entry.presenceLowPct as presence_low_pct,
  entry.presenceHighPct as presence_high_pct,
  entry.behindLeader.gapPp as gap_pp,
  entry.behindLeader.lowPp as gap_low_pp,
  entry.behindLeader.highPp as gap_high_pp,
  entry.behindLeader.isBehind as is_behind
from entries_of(competitors.shareOfVoice)
order by key.sequence, place, number
