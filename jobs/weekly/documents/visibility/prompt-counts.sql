-- One row is an engine of a brand with the prompts of its latest score: those whose text does not name the brand and, over
-- the cycles of the drift band and the latest one, sums over those that were also answered before, and the numbers of their
-- cycles. `fourWeeks` has sums over the prompts that were answered in the newest four of these cycles and in the earlier ones.
-- Expected numbers are in units of 1/$common, variances and squares of 1/$common²: $common is a multiple of every possible
-- number of cycles.
-- Needs engine_score, mentioned, series, prompt, tracked_prompts, brand.
-- Feeds perEngine[].samePrompts.prompts, perEngine[].samePrompts.named, perEngine[].samePrompts.expected,
-- perEngine[].samePrompts.isSignificant, perEngine[].samePrompts.pValue, perEngine[].samePrompts.detectablePp,
-- perEngine[].fourWeeks.prompts, perEngine[].fourWeeks.named, perEngine[].fourWeeks.expected,
-- perEngine[].fourWeeks.isSignificant, perEngine[].unbranded.promptsAnswered, perEngine[].unbranded.promptsNamed, moved[].
with
-- The cycles of the band and the latest one, the newest four of them, and the latest alone, a bit each.
compared as (
  select
    brand_no,
    engine::varchar as engine,
    bitstring_agg(cycle_no, 1, $cycles) as compared,
    bitstring_agg(cycle_no, 1, $cycles) filter (place_in_engine <= 4) as recent,
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
    series.prompt_id,
    bit_count(series.cycles & compared.compared)::bigint as cycles,
    bit_count(series.cycles & compared.recent)::bigint as recent_cycles,
    bit_count(series.cycles & compared.latest) > 0 as is_latest,
    coalesce(bit_count(named.named & compared.compared), 0)::bigint as named_cycles,
    coalesce(bit_count(named.named & compared.recent), 0)::bigint as recent_named,
    coalesce(bit_count(named.named & compared.latest), 0) > 0 as is_named,
    branded.prompt_id is not null as is_branded
  from series
  inner join compared using (brand_no, engine)
  left join named using (series_no)
  left join branded on branded.brand_no = series.brand_no and branded.prompt_id = series.prompt_id
  where bit_count(series.cycles & compared.recent) > 0
),
judged as (
  select
    *,
    is_latest and cycles > 1 as is_same,
    cycles > recent_cycles as is_lasting,
    named_cycles * ($common // cycles) as expected,
    named_cycles * recent_cycles * ($common // cycles) as recent_expected
  from counted
)
select
  brand_no as "brandNo",
  engine as slug,
  (count(*) filter (is_latest and not is_branded))::integer as "unbrandedAnswered",
  (count(*) filter (is_latest and not is_branded and is_named))::integer as "unbrandedNamed",
  {
    'prompts': (count(*) filter (is_same))::integer,
    'named': (count(*) filter (is_same and is_named))::integer,
    'expected': coalesce(sum(expected) filter (is_same), 0),
    'variance': coalesce(sum(expected * (cycles - named_cycles) * ($common // cycles)) filter (is_same), 0),
    'cycles': coalesce(list(cycles::utinyint order by prompt_id) filter (is_same), []),
    'namedCycles': coalesce(list(named_cycles::utinyint order by prompt_id) filter (is_same), [])
  } as "samePrompts",
  {
    'prompts': (count(*) filter (is_lasting))::integer,
    'named': coalesce(sum(recent_named) filter (is_lasting), 0)::integer,
    'expected': coalesce(sum(recent_expected) filter (is_lasting), 0),
    'squares': coalesce(sum((recent_named * $common - recent_expected) * (recent_named * $common - recent_expected)) filter (is_lasting), 0)
  } as "fourWeeks"
from judged
group by brand_no, engine
