-- One row is the number of batches, at most $1, that were folded into the last uses of their keys; no row if another
-- gateway is folding now, which then folds these too. A reader sees each batch in exactly one of the two tables.
with turn as materialized (
  select pg_try_advisory_xact_lock(7234911268104) as is_ours
),

taken as (
  delete from sightline.batch_uses
  where (select is_ours from turn)
    and ctid = any (array(select ctid from sightline.batch_uses limit $1::integer))
  returning used_at, keys
),

newest as (
  select key, max(used_at) as used_at
  from taken, unnest(taken.keys) as key
  group by key
),

stamped as (
  update sightline.key_uses
  set last_used_at = newest.used_at
  from newest
  where key_uses.key = newest.key
    and (key_uses.last_used_at is null or key_uses.last_used_at < newest.used_at)
),

final as (
  select count(*)::integer as batches from taken
)

select * from final
