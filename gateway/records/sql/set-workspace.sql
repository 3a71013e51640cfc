-- One row is the workspace, created or changed.
insert into sightline.workspaces (id, name, plan, requests_per_minute)
values ($1, $2, $3, $4)
on conflict (id) do update set
  name = excluded.name,
  plan = excluded.plan,
  requests_per_minute = excluded.requests_per_minute
