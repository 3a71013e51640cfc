-- The one row counts what belongs to nothing that is tracked as of the snapshot: kept, but shown nowhere.
select
  (select coalesce(sum(runs), 0)::bigint from score where brand_id not in (select id from tracked_brands)) as runs,
  (select count(*) from tracked_prompts where brand_id not in (select id from tracked_brands)) as prompts,
  (select count(*) from tracked_competitors where brand_id not in (select id from tracked_brands)) as competitors,
  (select count(*) from tracked_brands where workspace_id not in (select id from tracked_workspaces)) as brands
