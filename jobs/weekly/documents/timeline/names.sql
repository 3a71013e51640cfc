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
of_name as (
  select brand_no, engine, competitor_no, list(cycles) as prompts
  from named
  group by brand_no, engine, competitor_no
),
of_engine as (
  select brand_no, engine, list(cycle_no order by cycle_no) as cycles
  from timeline_cycle
  group by brand_no, engine
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
  of_engine.engine::varchar as slug,
  array_to_string(
    list_transform(
      of_engine.cycles,
      lambda cycle_no: coalesce(
        list_sum(list_transform(of_name.prompts, lambda cycles: get_bit(cycles, cycle_no - 1))), 0
      )
    ),
    ','
  ) as "promptsNamed"
from rival
left join of_engine using (brand_no)
left join of_name
  on
    of_name.brand_no = rival.brand_no
    and of_name.engine = of_engine.engine
    and of_name.competitor_no is not distinct from rival.competitor_no
order by rival.brand_no, rival.is_brand desc, rival.name, rival.competitor_no, of_engine.engine
