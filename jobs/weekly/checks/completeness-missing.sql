-- One row is an engine of a brand with prompts missing in the week, the most of them first.
-- Needs completeness, brand.
select
  brand.workspace_id::varchar as "workspaceId",
  brand.id::varchar as "brandId",
  brand.name as brand,
  completeness.cycle_date::varchar as "newestCycle",
  completeness.engine::varchar as engine,
  completeness.expected,
  completeness.delivered
from completeness
inner join brand using (brand_no)
where completeness.delivered < completeness.expected
order by completeness.expected - completeness.delivered desc, brand_no, completeness.engine
