-- One row is a copied minute count; all workspaces ($1), keys ($2), counts ($3) and checkpoints ($4) of an SQLite file are
-- inserted, with their ids. The columns of both databases have the same names.
with copied_workspaces as (
  insert into sightline.workspaces overriding system value
  select * from json_populate_recordset(null::sightline.workspaces, $1::json)
),

copied_keys as (
  insert into sightline.keys overriding system value
  select * from json_populate_recordset(null::sightline.keys, $2::json)
),

copied_checkpoints as (
  insert into sightline.checkpoints
  select * from json_populate_recordset(null::sightline.checkpoints, $4::json)
)

insert into sightline.minute_counts
select * from json_populate_recordset(null::sightline.minute_counts, $3::json)
