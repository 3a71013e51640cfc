-- One row is a workspace to be published, with the prompts on engines that its newest week is expected to have, and
-- those that it has.
select
  published_workspace.id::varchar as workspace_id,
  coalesce(sum(completeness.expected), 0)::integer as expected,
  coalesce(sum(completeness.delivered), 0)::integer as delivered
from published_workspace
left join brand on brand.workspace_id = published_workspace.id
left join completeness using (brand_no)
group by published_workspace.id
order by published_workspace.id
