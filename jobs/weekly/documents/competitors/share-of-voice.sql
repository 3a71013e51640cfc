-- One row is a brand (competitor_no NULL) or a tracked competitor of it, with its mentions in the window.
-- Feeds shareOfVoice[].name, shareOfVoice[].isBrand, shareOfVoice[].mentions, shareOfVoice[].sovPct,
-- shareOfVoice[].lowPct, shareOfVoice[].highPct, shareOfVoice[].halfWidthPp, shareOfVoice[].tiedWithBrand,
-- shareOfVoice[].tiedForLead, totalMentions, noiseFloorPp, leaders[].
with
counted as (
  select brand_no, competitor_no, count(*) as mentions
  from window_mention
  where brand_no between $first_brand and $last_brand
  group by brand_no, competitor_no
),
rival as (
  select brand_no, null::integer as competitor_no, name, true as is_brand from brand
  union all
  select brand_no, competitor_no, name, false as is_brand from competitor
)
select
  rival.brand_no as "brandNo",
  rival.name,
  rival.is_brand as "isBrand",
  coalesce(counted.mentions, 0)::integer as mentions
from rival
left join counted
  on counted.brand_no = rival.brand_no and counted.competitor_no is not distinct from rival.competitor_no
where rival.brand_no between $first_brand and $last_brand
order by "brandNo", coalesce(counted.mentions, 0) desc, "isBrand" desc, rival.name, rival.competitor_no
