-- The one row counts what belongs to nothing that is tracked as of the snapshot: kept, but shown nowhere.
with
ran as (
  select brand_id, runs from score
  union all
  select brand_id, runs from outside_run
  union all
  select brand_id, runs from run_brand
  semi join uncounted_object using (object)
)
select
  (select coalesce(sum(runs), 0)::double from ran where brand_id not in (select id from tracked_brands)) as runs,
  (select count(*)::double from tracked_prompts where brand_id not in (select id from tracked_brands)) as prompts,
  (select count(*)::double from tracked_competitors where brand_id not in (select id from tracked_brands)) as competitors,
  (select count(*)::double from tracked_brands where workspace_id not in (select id from tracked_workspaces)) as brands
