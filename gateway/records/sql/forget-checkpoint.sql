-- One row is the checkpoint that this statement deletes; no row if none was kept.
delete from sightline.checkpoints where origin = $1 returning origin, note, kept_at as "keptAt"
