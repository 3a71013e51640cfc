-- One row is an engine of a brand with the prompts of its latest score: those whose text does not name the brand and, over
-- the cycles of the drift band and the latest one, sums over those that were also answered before. The expected number
-- is in units of 1/$common, its variance of 1/$common²: $common is a multiple of every possible number of cycles.
-- Needs engine_score, mentioned, series, prompt, tracked_prompts, brand.
-- Feeds perEngine[].samePrompts.prompts, perEngine[].samePrompts.named, perEngine[].samePrompts.expected,
-- perEngine[].samePrompts.isSignificant, perEngine[].unbranded.promptsAnswered, perEngine[].unbranded.promptsNamed.
with
-- The cycles of the band and the latest one, and the latest alone, a bit each.
compared as (
  select
    brand_no,
    engine::varchar as engine,
    bitstring_agg(cycle_no, 1, $cycles) as compared,
    bitstring_agg(cycle_no, 1, $cycles) filter (place_in_engine = 1) as latest
  from engine_score
  where place_in_engine <= $band_scores
  group by brand_no, engine
),
named as (
  select series_no, bit_or(cycles) as named from mentioned
  where subject = 'brand'
  group by series_no
),
-- Prompts that are tracked for another brand count too.
foreign_prompt as (
  select distinct series.brand_no, series.prompt_id
  from series
  anti join prompt on prompt.brand_no = series.brand_no and prompt.id = series.prompt_id
),
branded as (
  select brand_no, id as prompt_id from prompt
  where names_brand
  union all
  select foreign_prompt.brand_no, foreign_prompt.prompt_id
  from foreign_prompt
  inner join tracked_prompts on tracked_prompts.id = foreign_prompt.prompt_id
  inner join brand using (brand_no)
  where names_brand(lower_case(tidy(tracked_prompts.text)), brand.folded_name)
),
counted as (
  select
    series.brand_no,
    series.engine,
    bit_count(series.cycles & compared.compared)::bigint as cycles,
    coalesce(bit_count(named.named & compared.compared), 0)::bigint as named_cycles,
    coalesce(bit_count(named.named & compared.latest), 0) > 0 as is_named,
    branded.prompt_id is not null as is_branded
  from series
  inner join compared using (brand_no, engine)
  left join named using (series_no)
  left join branded on branded.brand_no = series.brand_no and branded.prompt_id = series.prompt_id
  where bit_count(series.cycles & compared.latest) > 0
)
select
  brand_no as "brandNo",
  engine as slug,
  (count(*) filter (not is_branded))::integer as "unbrandedAnswered",
  (count(*) filter (not is_branded and is_named))::integer as "unbrandedNamed",
  (count(*) filter (cycles > 1))::integer as prompts,
  (count(*) filter (cycles > 1 and is_named))::integer as named,
  coalesce(sum(named_cycles * ($common // cycles)) filter (cycles > 1), 0) as expected,
  coalesce(
    sum(named_cycles * (cycles - named_cycles) * ($common // cycles) * ($common // cycles)) filter (cycles > 1), 0
  ) as variance
from counted
group by brand_no, engine
order by brand_no, engine
