-- One row is the workspace, created or changed. Its minute count is inserted too: admission only updates.
with workspace as (
  insert into sightline.workspaces (id, name, plan, requests_per_minute)
  values ($1::uuid, $2::text, $3::text, $4::integer)
  on conflict (id) do update set
    name = excluded.name,
    plan = excluded.plan,
    requests_per_minute = excluded.requests_per_minute
  returning number
)

insert into sightline.minute_counts (workspace, minute, requests)
select number, 0, 0 from workspace
on conflict do nothing
