-- One row is a workspace to be published: the number of its brands, the prompts on engines that its week is expected to
-- have, those that it has, the newest cycle in which one of its brands ran (NULL: none did), and whether any of its
-- prompts is active.
-- Needs completeness, ran, prompt, published_workspace, brand.
with
counted as (
  select brand_no, sum(expected) as expected, sum(delivered) as delivered from completeness
  group by brand_no
),
newest as (
  select brand_id, max(cycle_date) as cycle_date from ran
  group by brand_id
)
select
  workspace.id::varchar as "workspaceId",
  count(brand.id)::integer as brands,
  coalesce(sum(counted.expected), 0)::integer as expected,
  coalesce(sum(counted.delivered), 0)::integer as delivered,
  max(newest.cycle_date)::varchar as "newestCycle",
  coalesce(bool_or(brand.brand_no in (select brand_no from prompt where is_active)), false) as "isActive"
from published_workspace as workspace
left join brand on brand.workspace_id = workspace.id
left join counted using (brand_no)
left join newest on newest.brand_id = brand.id
group by workspace.id
order by workspace.id
