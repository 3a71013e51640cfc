-- One row is the numbers of the next workspace and the next key, after the highest ones.
select
  setval(pg_get_serial_sequence('sightline.workspaces', 'number'), coalesce(max(workspaces.number), 0) + 1, false),
  (
    select setval(pg_get_serial_sequence('sightline.keys', 'id'), coalesce(max(keys.id), 0) + 1, false)
    from sightline.keys
  )
from sightline.workspaces
