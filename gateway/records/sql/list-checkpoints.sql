-- One row is the checkpoint that is kept of a log: of all logs, or only of the one with the origin $1.
select
  origin,
  note,
  kept_at as "keptAt"
from sightline.checkpoints
where cast($1 as text) is null or origin = $1
order by origin
