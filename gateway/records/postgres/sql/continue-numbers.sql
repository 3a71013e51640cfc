-- One row is the highest numbers of workspaces and keys; new ones continue after them.
select
  setval(pg_get_serial_sequence('sightline.workspaces', 'number'), coalesce(max(workspaces.number), 1), count(*) > 0),
  (
    select setval(pg_get_serial_sequence('sightline.keys', 'id'), coalesce(max(keys.id), 1), count(*) > 0)
    from sightline.keys
  )
from sightline.workspaces
