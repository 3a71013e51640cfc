-- One row is a brand (competitor_no NULL) or a tracked competitor of it, with its mentions in the window, the answers that
-- name it, both on each engine that answered, the number of prompts with mentions of any row and, over these prompts, sums
-- of products of mentions: its own with its own, with those of the first row, and with all of the prompt. Columns other
-- than `byPrompt` are published as they are.
-- Needs window_mention, window_run, published_name.
-- Feeds shareOfVoice[].name, shareOfVoice[].isBrand, shareOfVoice[].mentions, shareOfVoice[].sovPct,
-- shareOfVoice[].lowPct, shareOfVoice[].highPct, shareOfVoice[].halfWidthPp, shareOfVoice[].tiedWithBrand,
-- shareOfVoice[].tiedForLead, totalMentions, noiseFloorPp, leaders[], shareOfVoice[].answersNaming,
-- shareOfVoice[].presencePct, shareOfVoice[].presenceLowPct, shareOfVoice[].presenceHighPct,
-- shareOfVoice[].behindLeader.gapPp, shareOfVoice[].behindLeader.lowPp, shareOfVoice[].behindLeader.highPp,
-- shareOfVoice[].behindLeader.isBehind, shareOfVoice[].perEngine[].slug, shareOfVoice[].perEngine[].mentions,
-- shareOfVoice[].perEngine[].answersNaming, leadersByPrompt[].
with
-- No answer is to two prompts, or of two engines.
on_engine as (
  select brand_no, prompt_id, engine, competitor_no, count(*) as mentions, count(distinct run_no) as answers
  from window_mention
  group by brand_no, prompt_id, engine, competitor_no
),
in_prompt as (
  select brand_no, prompt_id, competitor_no, sum(mentions)::bigint as mentions, sum(answers)::bigint as answers
  from on_engine
  group by brand_no, prompt_id, competitor_no
),
counted as (
  select brand_no, competitor_no, sum(mentions)::bigint as mentions, sum(answers)::bigint as answers
  from in_prompt
  group by brand_no, competitor_no
),
rival as (
  select * from published_name
  where brand_no between $first_brand and $last_brand
),
answered_engine as (
  select distinct brand_no, engine from window_run
  where status = 'success'
),
engine_count as (
  select brand_no, engine, competitor_no, sum(mentions)::integer as mentions, sum(answers)::integer as answers
  from on_engine
  group by brand_no, engine, competitor_no
),
by_engine as (
  select
    rival.brand_no,
    rival.competitor_no,
    list({
      'slug': answered_engine.engine::varchar,
      'mentions': coalesce(engine_count.mentions, 0),
      'answersNaming': coalesce(engine_count.answers, 0)
    } order by answered_engine.engine) as engines
  from rival
  inner join answered_engine using (brand_no)
  left join engine_count
    on
      engine_count.brand_no = rival.brand_no
      and engine_count.engine = answered_engine.engine
      and engine_count.competitor_no is not distinct from rival.competitor_no
  group by rival.brand_no, rival.competitor_no
),
placed as (
  select
    rival.*,
    coalesce(counted.mentions, 0) as mentions,
    coalesce(counted.answers, 0) as answers,
    row_number() over (
      partition by rival.brand_no
      order by coalesce(counted.mentions, 0) desc, rival.is_brand desc, rival.name, rival.competitor_no
    ) as place
  from rival
  left join counted
    on counted.brand_no = rival.brand_no and counted.competitor_no is not distinct from rival.competitor_no
),
together as (
  select
    in_prompt.*,
    sum(in_prompt.mentions) over prompt as all_mentions,
    coalesce(sum(in_prompt.mentions) filter (placed.place = 1) over prompt, 0) as leader_mentions
  from in_prompt
  inner join placed
    on placed.brand_no = in_prompt.brand_no and placed.competitor_no is not distinct from in_prompt.competitor_no
  window prompt as (partition by in_prompt.brand_no, in_prompt.prompt_id)
),
prompt_count as (
  select brand_no, count(distinct prompt_id)::integer as prompts from in_prompt
  group by brand_no
),
product as (
  select
    brand_no,
    competitor_no,
    sum(mentions * mentions) as with_itself,
    sum(mentions * leader_mentions) as with_leader,
    sum(mentions * all_mentions) as with_all
  from together
  group by brand_no, competitor_no
)
select
  placed.brand_no as "brandNo",
  placed.name,
  placed.is_brand as "isBrand",
  placed.mentions::integer as mentions,
  coalesce(by_engine.engines, []) as "perEngine",
  placed.answers::integer as "answersNaming",
  {
    'prompts': coalesce(prompt_count.prompts, 0),
    'withItself': coalesce(product.with_itself, 0),
    'withLeader': coalesce(product.with_leader, 0),
    'withAll': coalesce(product.with_all, 0)
  } as "byPrompt"
from placed
left join prompt_count using (brand_no)
left join by_engine
  on by_engine.brand_no = placed.brand_no and by_engine.competitor_no is not distinct from placed.competitor_no
left join product
  on product.brand_no = placed.brand_no and product.competitor_no is not distinct from placed.competitor_no
order by placed.brand_no, placed.place
