-- The one row counts what belongs to nothing that is tracked as of the snapshot: kept, but shown nowhere.
-- Needs ran, tracked_brands, tracked_prompts, tracked_competitors, tracked_workspaces.
select
  (select coalesce(sum(runs), 0)::double from ran where brand_id not in (select id from tracked_brands)) as runs,
  (select count(*)::double from tracked_prompts where brand_id not in (select id from tracked_brands)) as prompts,
  (select count(*)::double from tracked_competitors where brand_id not in (select id from tracked_brands)) as competitors,
  (select count(*)::double from tracked_brands where workspace_id not in (select id from tracked_workspaces)) as brands
