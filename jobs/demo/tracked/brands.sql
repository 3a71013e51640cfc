-- One row is one brand.
with numbered as (
  select
    brand,
    demo_draw(salt, 'brand ' || brand) as salt,
    brand * workspaces // brands as workspace,
    brand % 12 as industry,
    -- The 12 industries have 24 companies each that are nobody's brand.
    first_name + 288 + brand as company,
    if(brand = new_brand, greatest(cycles - 3, 0), 0) as first_week
  from demo_options, range(brands) as numbers (brand)
),

placed as (
  select numbered.*, brand - min(brand) over (partition by workspace) as place
  from numbered
),

final as (
  select
    placed.* exclude (workspace, place),
    demo_uuid(placed.salt) as id,
    demo_workspace.id as workspace_id,
    demo_name(company) as name,
    -- NULL but for one brand of each workspace.
    if(
      place = fallen_place,
      ['chatgpt', 'claude', 'gemini', 'deepseek', 'grok'][(fallen_engine_number + workspace) % 5 + 1],
      null
    ) as fallen_engine,
    -- As people enter it: a URL, a page of the site, a bare host.
    ['https://www.', 'https://', 'www.', ''][brand % 4 + 1] || demo_host(company)
    || ['/', '', '', '/en/home'][brand % 4 + 1] as domain,
    last_cycle - to_days(7 * (cycles - 1 - first_week) + 3 + demo_die(placed.salt, 'made', 30))
    + to_minutes(480 + demo_die(placed.salt, 'made at', 600)) as created_at
  from placed
  join demo_workspace using (workspace)
  cross join demo_options
)

select * from final
order by brand
