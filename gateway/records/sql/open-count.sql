-- One row is the new minute count of a workspace, inserted because admission only updates; no row if it exists.
insert into sightline.minute_counts (workspace, minute, requests)
values ($1, 0, 0)
on conflict do nothing
returning workspace
