-- One row is a workspace with its plan, its allowance and the number of its active keys.
with active_keys as (
  select workspace, count(*)::integer as active
  from sightline.keys
  where revoked_at is null
  group by workspace
),

final as (
  select
    workspaces.id,
    workspaces.name,
    workspaces.plan,
    plans.name is not null as includes_api,
    case
      when plans.name is not null
        then coalesce(workspaces.requests_per_minute, plans.requests_per_minute)
    end as requests_per_minute,
    coalesce(active_keys.active, 0) as active_keys
  from sightline.workspaces
  left join sightline.plans on plans.name = lower(workspaces.plan)
  left join active_keys on active_keys.workspace = workspaces.number
)

select * from final
where $1::uuid is null or id = $1::uuid
order by id
