-- One row is the checkpoint of $2 entries that was kept; no row if the one that is there is as large.
insert into sightline.checkpoints (origin, size, note, kept_at)
values ($1, $2, $3, now())
on conflict (origin) do update set
  size = excluded.size,
  note = excluded.note,
  kept_at = excluded.kept_at
where checkpoints.size < excluded.size
returning origin
