-- One row is a workspace to be published: the prompts on engines that its newest week is expected to have, those that it
-- has, the newest cycle in which one of its brands ran (NULL: none did), and whether any of its prompts is active.
with
newest_cycle as (
  select brand.workspace_id, max(score.cycle_date) as cycle_date
  from score
  inner join brand on brand.id = score.brand_id
  group by brand.workspace_id
),
active as (
  select distinct brand.workspace_id
  from prompt
  inner join brand using (brand_no)
  where prompt.is_active
),
counted as (
  select
    brand.workspace_id,
    sum(completeness.expected)::integer as expected,
    sum(completeness.delivered)::integer as delivered
  from completeness
  inner join brand using (brand_no)
  group by brand.workspace_id
)
select
  workspace.id::varchar as "workspaceId",
  coalesce(counted.expected, 0) as expected,
  coalesce(counted.delivered, 0) as delivered,
  newest_cycle.cycle_date::varchar as "newestCycle",
  active.workspace_id is not null as "isActive"
from published_workspace as workspace
left join newest_cycle on newest_cycle.workspace_id = workspace.id
left join active on active.workspace_id = workspace.id
left join counted on counted.workspace_id = workspace.id
order by workspace.id
