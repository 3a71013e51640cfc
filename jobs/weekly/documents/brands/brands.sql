-- One row is a brand to be published, in the order of publication.
-- Needs brand.
-- Feeds brands[].id, brands[].name, brands[].domain, brands[].createdAt, brand.id, brand.name, brand.domain.
select
  brand_no as "brandNo",
  workspace_id::varchar as "workspaceId",
  id::varchar as id,
  name,
  domain,
  epoch_us(created_at) as "createdAt"
from brand
where brand_no between $first_brand and $last_brand
order by brand_no
