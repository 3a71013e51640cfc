-- One row is the drop: what was asked for, and the few places where something out of the ordinary happens.
-- Needs demo_industry, demo_question.
-- Makes demo_options, demo_week, demo_workspace, demo_brand, demo_rival, demo_prompt.
create table demo_options as
select
  $seed::bigint as seed,
  hash(hash($seed::bigint, 'demo')) as salt,
  $workspaces::integer as workspaces,
  $brands::integer as brands,
  $prompts::integer as prompts,
  $cycles::integer as cycles,
  $asOf::timestamp as as_of,
  -- The Monday on or before the as-of date.
  date_trunc('week', as_of)::date as last_cycle,
  -- Where in the list of company names this drop begins.
  demo_die(salt, 'first name', 2400) as first_name,
  -- Which of a workspace's brands has an engine whose last week falls out of its drift band.
  demo_die(salt, 'fallen brand', greatest(least(brands // workspaces, 6) - 1, 1)) as fallen_place,
  demo_die(salt, 'fallen engine', 5) as fallen_engine_number,
  ['chatgpt', 'claude', 'gemini', 'deepseek', 'grok'] as fallen_engines,
  -- The engine behind which the model changes in the last week: that of the first workspace's fallen brand.
  fallen_engines[fallen_engine_number + 1] as changed_engine,
  -- The one brand that a web-grounded engine has not answered for in the last three weeks.
  least(demo_die(salt, 'silent brand', 5) + 1, brands - 1) as silent_brand,
  -- The one brand that an engine names less often since four weeks. It takes 20 prompts to judge that.
  if(brands >= 4 and cycles >= 12 and prompts >= 20, brands - 2, null) as lower_brand,
  -- The one brand that was set up three weeks ago, and is still warming up.
  if(brands >= 6, brands - 1, null) as new_brand;

-- One row is one week of the drop: its number, from 0, and the date of its cycle.
create table demo_week as
select week::integer as week, last_cycle - to_days(7 * (cycles - 1 - week)::integer) as monday
from demo_options
cross join range(cycles) as weeks (week);

-- One row is one workspace.
create table demo_workspace as
select
  workspace,
  demo_uuid(demo_draw(salt, 'workspace ' || workspace)) as id,
  [
    'Halden & Moor', 'Northlight Agency', 'Studio Varga', 'Bright Harbour Marketing', 'Okafor Partners',
    'Lindqvist Digital', 'The Fennel Group', 'Castellan Media', 'Blue Aster', 'Rowan & Pike'
  ][workspace % 10 + 1] || if(workspace < 10, '', ' ' || (workspace // 10 + 1)) as name,
  -- Whole minutes in the year before the first cycle.
  last_cycle - to_days(7 * cycles + 400)
  + to_minutes(workspace * 61 % 1440 + demo_die(salt, 'workspace made ' || workspace, 43200)) as created_at
from demo_options, range(workspaces) as numbers (workspace);

-- One row is one brand.
create table demo_brand as
with
numbered as (
  select
    brand,
    demo_draw(salt, 'brand ' || brand) as salt,
    brand * workspaces // brands as workspace,
    brand % 12 as industry,
    -- The 12 industries have 24 companies each that are nobody's brand.
    first_name + 288 + brand as company,
    if(brand = new_brand, greatest(cycles - 3, 0), 0) as first_week
  from demo_options, range(brands) as numbers (brand)
)
select
  numbered.* exclude (workspace),
  demo_uuid(numbered.salt) as id,
  demo_workspace.id as workspace_id,
  demo_name(company) as name,
  -- NULL but for one brand of each workspace.
  if(
    brand - min(brand) over (partition by workspace) = fallen_place,
    fallen_engines[(fallen_engine_number + workspace) % 5 + 1],
    null
  ) as fallen_engine,
  -- As people enter it: a URL, a page of the site, a bare host.
  ['https://www.', 'https://', 'www.', ''][brand % 4 + 1] || demo_host(company)
  || ['/', '', '', '/en/home'][brand % 4 + 1] as domain,
  last_cycle - to_days(7 * (cycles - 1 - first_week) + 3 + demo_die(numbered.salt, 'made', 30))
  + to_minutes(480 + demo_die(numbered.salt, 'made at', 600)) as created_at
from numbered
join demo_workspace using (workspace)
cross join demo_options;

-- One row is one company that answers about a brand may name besides it: first its tracked competitors, then others.
create table demo_rival as
select
  brand,
  number,
  -- 5 shares no factor with 24, so that a brand meets each company of its industry once.
  first_name + industry * 24 + (demo_die(demo_brand.salt, 'first rival', 24) + number * 5) % 24 as company,
  number < 5 + demo_die(demo_brand.salt, 'competitors', 4) as is_competitor,
  if(is_competitor, demo_uuid(demo_draw(demo_brand.salt, 'competitor ' || number)), null) as id,
  -- How many of a thousand answers name it, before what its prompt and engine make of it.
  if(is_competitor, 780 - 100 * number + demo_die(demo_brand.salt, 'strength ' || number, 160), 0) as strength
from demo_brand
cross join demo_options
cross join range(24) as numbers (number);

-- One row is one prompt.
create table demo_prompt as
with
numbered as (
  select
    demo_brand.* exclude (id, salt, name, created_at),
    demo_brand.id as brand_id,
    demo_brand.created_at as brand_created_at,
    number,
    brand * prompts + number as prompt,
    demo_draw(demo_brand.salt, 'prompt ' || number) as salt,
    -- 7 shares no factor with 30: no pattern comes twice before all have come once.
    (demo_die(demo_brand.salt, 'first question', 30) + number * 7) % 30 as question,
    demo_die(demo_brand.salt, 'first buyer', 5) + number // 30 + number as choice,
    options.cycles,
    options.last_cycle
  from demo_brand
  cross join demo_options as options
  cross join range(options.prompts) as numbers (number)
)
select
  numbered.brand,
  prompt,
  salt,
  demo_uuid(salt) as id,
  brand_id,
  replace(replace(replace(replace(replace(
    pattern,
    '{category}', category),
    '{buyer}', buyers[choice % 5 + 1]),
    '{need}', needs[choice % 4 + 1]),
    '{rival}', demo_name(rival.company)),
    '{year}', year(last_cycle)::varchar
  ) as text,
  [if(contains(pattern, '{rival}'), 'comparison', 'discovery')] as tags,
  -- Paused ones stopped two to four weeks ago, late ones began six weeks ago; a brand's first three do neither.
  numbered.number < 3 or demo_die(salt, 'paused', 12) > 0 as is_active,
  numbered.number >= 3 and demo_die(salt, 'late', 20) = 0 as is_late,
  if(is_late, greatest(numbered.first_week, cycles - 6), numbered.first_week) as first_week,
  if(is_active, cycles, greatest(cycles - 2 - demo_die(salt, 'paused at', 3), numbered.first_week + 1)) as end_week,
  if(is_late, greatest(brand_created_at, last_cycle - to_days(40)), brand_created_at)
  + to_minutes(numbered.number + 1) as created_at
from numbered
join demo_industry using (industry)
join demo_question using (question)
join demo_rival as rival on rival.brand = numbered.brand and rival.number = choice % 3;
