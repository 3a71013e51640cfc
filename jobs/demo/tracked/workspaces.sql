-- One row is one workspace.
with names as (
  select
    [
      'Halden & Moor', 'Northlight Agency', 'Studio Varga', 'Bright Harbour Marketing', 'Okafor Partners',
      'Lindqvist Digital', 'The Fennel Group', 'Castellan Media', 'Blue Aster', 'Rowan & Pike'
    ] as names
),

final as (
  select
    workspace,
    demo_uuid(demo_draw(salt, 'workspace ' || workspace)) as id,
    names[workspace % 10 + 1] || if(workspace < 10, '', ' ' || (workspace // 10 + 1)) as name,
    -- Whole minutes in the year before the first cycle.
    last_cycle - to_days(7 * cycles + 400)
    + to_minutes(workspace * 61 % 1440 + demo_die(salt, 'workspace made ' || workspace, 43200)) as created_at
  from demo_options, names, range(workspaces) as numbers (workspace)
)

select * from final
order by workspace
