-- One row is the highest copied numbers of workspaces and keys; new ones continue after them.
select
  setval(pg_get_serial_sequence('sightline.workspaces', 'number'), greatest(1, workspaces.highest), workspaces.highest > 0),
  setval(pg_get_serial_sequence('sightline.keys', 'id'), greatest(1, keys.highest), keys.highest > 0)
from (select coalesce(max(number), 0) as highest from sightline.workspaces) as workspaces,
  (select coalesce(max(id), 0) as highest from sightline.keys) as keys
