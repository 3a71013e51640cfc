-- One row is an engine of a brand with the prompts of its latest score: those whose text does not name the brand and, over
-- the cycles of the drift band and the latest one, sums over those that were also answered before. The expected number
-- is in units of 1/$common, its variance of 1/$common²: $common is a multiple of every possible number of cycles.
-- Feeds perEngine[].samePrompts.prompts, perEngine[].samePrompts.named, perEngine[].samePrompts.expected,
-- perEngine[].samePrompts.isSignificant, perEngine[].unbranded.promptsAnswered, perEngine[].unbranded.promptsNamed.
with
scored as (
  select engine_score.brand_no, engine_score.engine, engine_score.place_in_engine, history_cycle.* exclude (cycle_date)
  from engine_score
  inner join history_cycle using (cycle_date)
  where engine_score.place_in_engine <= $band_scores
),
latest as (
  select brand_no, engine::varchar as engine, [*columns('^cycles_')] as latest from scored
  where place_in_engine = 1
),
compared_bits as (
  select brand_no, engine, bit_or(columns('^cycles_')) from scored
  group by brand_no, engine
),
compared as (
  select brand_no, engine::varchar as engine, [*columns('^cycles_')] as compared from compared_bits
),
answered as (
  select series_no, brand_no, prompt_id, engine, [*columns('^cycles_')] as answered from history_series
  where series_no between $first_series and $last_series
),
named_bits as (
  select slice_name.series_no, bit_or(columns('^cycles_')) from slice_name
  inner join history_spelling using (spelling_no)
  where history_spelling.subject = 'brand'
  group by slice_name.series_no
),
named as (
  select series_no, [*columns('^cycles_')] as named from named_bits
),
-- Prompts that are tracked for another brand count too.
foreign_prompt as (
  select distinct answered.brand_no, answered.prompt_id
  from answered
  anti join prompt on prompt.brand_no = answered.brand_no and prompt.id = answered.prompt_id
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
    answered.brand_no,
    answered.engine,
    list_sum(list_transform(answered, lambda bits, i: bit_count(bits & compared[i])))::bigint as cycles,
    coalesce(list_sum(list_transform(named, lambda bits, i: bit_count(bits & compared[i]))), 0)::bigint as named_cycles,
    coalesce(list_sum(list_transform(named, lambda bits, i: bit_count(bits & latest[i]))), 0) > 0 as is_named,
    branded.prompt_id is not null as is_branded
  from answered
  inner join latest using (brand_no, engine)
  inner join compared using (brand_no, engine)
  left join named using (series_no)
  left join branded on branded.brand_no = answered.brand_no and branded.prompt_id = answered.prompt_id
  where list_sum(list_transform(answered, lambda bits, i: bit_count(bits & latest[i]))) > 0
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
