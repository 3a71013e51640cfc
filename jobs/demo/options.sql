-- One row, the only one: what was asked for, and the few places where something out of the ordinary happens.
with asked as (
  select
    $seed::bigint as seed,
    hash(hash($seed::bigint, 'demo')) as salt,
    $workspaces::integer as workspaces,
    $brands::integer as brands,
    $prompts::integer as prompts,
    $cycles::integer as cycles,
    $asOf::timestamp as as_of
),

final as (
  select
    asked.*,
    -- The Monday on or before the as-of date.
    date_trunc('week', as_of)::date as last_cycle,
    -- Where in the list of company names this drop begins.
    demo_die(salt, 'first name', 2400) as first_name,
    -- Which of a workspace's brands has an engine whose last week falls out of its drift band.
    demo_die(salt, 'fallen brand', greatest(least(brands // workspaces, 6) - 1, 1)) as fallen_place,
    demo_die(salt, 'fallen engine', 5) as fallen_engine_number,
    -- The engine behind which the model changes in the last week: that of the first workspace's fallen brand.
    ['chatgpt', 'claude', 'gemini', 'deepseek', 'grok'][demo_die(salt, 'fallen engine', 5) + 1] as changed_engine,
    -- The one brand that a web-grounded engine never answers for.
    least(demo_die(salt, 'silent brand', 5) + 1, brands - 1) as silent_brand,
    -- The one brand that was set up three weeks ago, and is still warming up.
    if(brands >= 6, brands - 1, null) as new_brand
  from asked
)

select * from final
