-- One row is one engine.
-- Needs demo_prompt, demo_brand, demo_week, demo_options, demo_rival, demo_industry, demo_site.
-- Makes demo_engine, demo_schedule, demo_visibility, demo_name, demo_cite, demo_weight.
create table demo_engine as from (
  values
    (0, 'ai_mode'), (1, 'ai_overview'), (2, 'chatgpt'), (3, 'claude'),
    (4, 'deepseek'), (5, 'gemini'), (6, 'grok'), (7, 'perplexity')
) as listed (engine_number, engine);

-- One row is one run: a prompt put to an engine in a week, and what became of it.
create view demo_schedule as
select
  prompts.brand,
  prompts.prompt,
  engine_number,
  engine,
  week,
  demo_draw(prompts.salt, engine_number * 10000 + week) as salt,
  -- Stays from week to week: some prompts are more the brand's than others.
  demo_die(prompts.salt, engine_number, 1000) as affinity,
  case
    when engine = fallen_engine then 'success'
    when prompts.brand = silent_brand and engine = 'ai_mode' and week >= cycles - 3 then 'no_answer'
    when demo_die(demo_draw(prompts.salt, engine_number * 10000 + week), 'failed', 1000) < 8 then 'failed'
    when demo_die(demo_draw(prompts.salt, engine_number * 10000 + week), 'silent', 1000)
      < case engine when 'ai_overview' then 140 when 'ai_mode' then 30 else 0 end then 'no_answer'
    else 'success'
  end as status
from demo_prompt as prompts
join demo_brand using (brand)
join demo_week on week >= prompts.first_week and week < prompts.end_week
cross join demo_engine
cross join demo_options;

-- One row is one brand on one engine in one week: how many prompts were answered, and in how many the brand is to be
-- named. The last week is the rounded mean of the weeks before it, well inside any drift band; but for the one brand and
-- engine of a workspace that fall out of theirs, and for the one where a fall lasts: that of the last weeks.
create table demo_visibility as
with
answered as (
  select brand, engine_number, engine, week, count(*) filter (status = 'success') as answered
  from demo_schedule
  group by brand, engine_number, engine, week
),
drifting as (
  select
    answered.*,
    180 + demo_die(demo_brand.salt, 'visibility', 480) + demo_die(demo_brand.salt, engine, 200) as base,
    -- Tenths of a percentage point, a step a week.
    sum(demo_die(demo_brand.salt, 'drift ' || engine || week, 31) - 15)
      over (partition by brand, engine_number order by week)::integer as drift,
    demo_die(demo_brand.salt, 'noise ' || engine || week, 101) - 50 as noise,
    coalesce(engine = fallen_engine, false) as is_fallen,
    coalesce(brand = lower_brand and engine = 'perplexity', false) as is_lower,
    week >= cycles - 4 as is_recent
  from answered
  join demo_brand using (brand)
  cross join demo_options
),
ordinary as (
  select
    brand,
    engine_number,
    week,
    answered,
    is_fallen,
    is_lower,
    -- The fallen one was high and steady, and so was the one where a fall lasts.
    (
      answered * if(
        is_fallen, 780, if(is_lower, if(is_recent, 380, 700), least(greatest(base + drift + noise, 30), 960))
      ) + 500
    ) // 1000 as named,
    row_number() over (partition by brand, engine_number order by answered = 0, week desc) as age
  from drifting
),
means as (
  select brand, engine_number, (sum(named * 100000 // answered) // count(*))::bigint as mean
  from ordinary
  where age between 2 and if(is_lower, 4, 13) and answered > 0
  group by brand, engine_number
)
select
  brand,
  engine_number,
  week,
  case
    when age > 1 or mean is null then named
    when is_fallen then answered // 10
    else (answered * mean + 50000) // 100000
  end as named
from ordinary
left join means using (brand, engine_number);

-- One row is one spelling of a name that the answers about a brand may contain: first the brand's own, then its rivals'.
create table demo_name as
with
candidates as (
  select brand, industry, 1 as place, 'brand' as subject, null as competitor_id, company, true as has_suffix
  from demo_brand
  union all
  select
    brand,
    industry,
    number + 2,
    if(is_competitor, 'competitor', 'other'),
    demo_rival.id,
    demo_rival.company,
    -- Of the others, every fourth is at times named with what it sells.
    is_competitor or number % 4 = 0
  from demo_rival
  join demo_brand using (brand)
)
select
  brand,
  place,
  unnest([1, 2, 3, 4]) as spelling,
  unnest(demo_spellings(company, if(has_suffix, suffix, null))) as name,
  subject,
  competitor_id
from candidates
join demo_industry using (industry);

-- One row is one site that the answers about a brand may cite, the most cited first: `place` counts from 0.
create table demo_cite as
with
ranked as (
  select brand, site * 2 as rank, replace(prefix, '{slug}', slug) as prefix, source_type
  from demo_brand
  join demo_industry using (industry)
  cross join demo_site
  union all
  select brand, number * 4 + 3, 'https://www.' || demo_host(company) || '/blog/', 'corporate'
  from demo_rival
  where is_competitor
  union all
  select brand, 5, 'https://www.' || demo_host(company) || '/resources/', 'corporate'
  from demo_brand
)
select
  brand,
  (row_number() over (partition by brand order by rank, prefix) - 1)::integer as place,
  (count(*) over (partition by brand))::integer as sites,
  prefix,
  source_type
from ranked;

-- One row is one prompt on one engine: how many of a thousand answers name each candidate of the brand's panel, in its
-- order. (The brand's own is for its position only: demo_visibility says where it is named.) An engine's few
-- favourites, some that come and go, and about half of the others never.
create table demo_weight as
with
panels as (
  select brand, list_prepend(0, list(strength order by number)) as strengths
  from demo_rival
  group by brand
),
pairs as (
  select prompt, engine_number, demo_draw(salt, 'engine ' || engine_number) as salt, strengths
  from demo_prompt
  join panels using (brand)
  cross join demo_engine
)
select
  prompt,
  engine_number,
  list_transform(strengths, lambda strength, place:
    case
      when place = 1 then 600
      when strength > 0 then least(greatest(strength + demo_die(salt, place, 400) - 200, 20), 950)
      when demo_die(salt, place, 100) < 45 then 0
      else 80 + demo_die(salt, place + 100, 300)
    end::smallint
  ) as weights
from pairs;
