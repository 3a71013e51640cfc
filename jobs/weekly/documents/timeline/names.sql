-- One row is a brand (competitor_no NULL), or a tracked competitor of it, on an engine that answered: in how many prompts it was
-- named in each of the engine's cycles, oldest first, as a text separated by commas. Without any engine, one row with NULL.
-- Needs mentioned, series, timeline_cycle, competitor, published_name.
-- Feeds names[].name, names[].isBrand, names[].engines[].slug, names[].engines[].promptsNamed[].
with
named as (
  select
    mentioned.brand_no,
    series.engine,
    competitor.competitor_no,
    mentioned.series_no,
    bit_or(mentioned.cycles) as cycles
  from mentioned
  inner join series using (series_no)
  left join competitor on competitor.brand_no = mentioned.brand_no and competitor.id = mentioned.competitor_id
  where mentioned.subject = 'brand' or competitor.competitor_no is not null
  group by all
),
counted as (
  select named.brand_no, named.engine, named.competitor_no, timeline_cycle.cycle_no, count(*)::integer as prompts
  from named
  inner join timeline_cycle on timeline_cycle.brand_no = named.brand_no and timeline_cycle.engine = named.engine
  where get_bit(named.cycles, timeline_cycle.cycle_no - 1) = 1
  group by all
),
rival as (
  select * from published_name
  where brand_no between $first_brand and $last_brand
)
select
  rival.brand_no as "brandNo",
  rival.competitor_no as "competitorNo",
  rival.name,
  rival.is_brand as "isBrand",
  timeline_cycle.engine::varchar as slug,
  string_agg(coalesce(counted.prompts, 0)::varchar, ',' order by timeline_cycle.cycle_no) as "promptsNamed"
from rival
left join timeline_cycle using (brand_no)
left join counted
  on
    counted.brand_no = rival.brand_no
    and counted.engine = timeline_cycle.engine
    and counted.cycle_no = timeline_cycle.cycle_no
    and counted.competitor_no is not distinct from rival.competitor_no
group by rival.brand_no, rival.competitor_no, rival.name, rival.is_brand, timeline_cycle.engine
order by rival.brand_no, rival.is_brand desc, rival.name, rival.competitor_no, timeline_cycle.engine
