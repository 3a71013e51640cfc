-- What is published. All numbers are in the order of publication.
-- Needs chosen_workspace, tracked_brands, tracked_workspaces, tracked_competitors, tracked_prompts, tracked_events.
-- Makes published_workspace, brand, competitor, published_name, prompt, event.

-- One row is a workspace to be published.
create or replace table published_workspace as
select row_number() over (order by place_of(id), id)::integer as workspace_no, id
from chosen_workspace;

-- One row is a brand to be published. A workspace that is retired has none, even
-- if its brands are still delivered.
create or replace table brand as
select
  row_number() over (order by published.workspace_no, tracked.created_at, tracked.id)::integer as brand_no,
  tracked.id,
  tracked.workspace_id,
  tracked.name,
  tracked.domain,
  tracked.created_at,
  host_of(tracked.domain) as host,
  lower_case(tidy(tracked.name)) as folded_name
from tracked_brands as tracked
inner join published_workspace as published on published.id = tracked.workspace_id
semi join tracked_workspaces on tracked_workspaces.id = tracked.workspace_id;

-- One row is a tracked competitor of a brand to be published.
create or replace table competitor as
select
  row_number() over (order by brand.brand_no, tracked.id)::integer as competitor_no,
  brand.brand_no,
  tracked.id,
  tracked.name
from tracked_competitors as tracked
inner join brand on brand.id = tracked.brand_id;

-- One row is a name whose mentions are counted for a brand: its own (competitor_no is NULL), or that of a tracked competitor.
create or replace view published_name as
select brand_no, null::integer as competitor_no, name, true as is_brand from brand
union all
select brand_no, competitor_no, name, false as is_brand from competitor;

-- One row is a prompt of a brand to be published.
create or replace table prompt as
select
  row_number() over (order by brand.brand_no, tracked.created_at, tracked.id)::integer as prompt_no,
  brand.brand_no,
  tracked.id,
  tracked.text,
  tracked.is_active,
  tracked.created_at,
  names_brand(lower_case(tidy(tracked.text)), brand.folded_name) as names_brand,
  list_sort(list_distinct(list_filter(
    list_transform(tracked.tags, lambda tag: tidy(tag)), lambda tag: tag != ''
  ))) as tags
from tracked_prompts as tracked
inner join brand on brand.id = tracked.brand_id;

-- One row is an event that a brand may show: dated on the day of the snapshot or before. NULL: of all workspaces, of all
-- engines.
create or replace table event as
select id, workspace_id, engine, "date", tidy(text) as text, url
from tracked_events
where "date" <= $date::date;
