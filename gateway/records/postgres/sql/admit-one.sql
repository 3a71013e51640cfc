-- One row is the key of a batch with a single key, $1, if it is known, and the minute of its workspace, which is null
-- if the key may not make requests. Most batches have one key; this statement does for them what admit.sql does, at
-- half the cost.
with known as materialized (
  select
    keys.id as key_id,
    keys.workspace,
    workspaces.id as workspace_id,
    case
      when $3::jsonb ? lower(workspaces.plan)
        then coalesce(workspaces.requests_per_minute, ($3::jsonb ->> lower(workspaces.plan))::integer)
    end as requests_per_minute,
    keys.revoked_at is not null as is_revoked,
    coalesce(keys.last_used_at < date_trunc('second', statement_timestamp()), true) as is_unused,
    floor(date_part('epoch', statement_timestamp()) / 60)::integer as minute
  from sightline.keys
  join sightline.workspaces on workspaces.number = keys.workspace
  where keys.hash = $1::text
),

counted as (
  update sightline.minute_counts
  set
    requests = $2::integer + case
      when minute_counts.minute in (known.minute, known.minute + 1) then minute_counts.requests
      else 0
    end,
    minute = case when minute_counts.minute = known.minute + 1 then minute_counts.minute else known.minute end
  from known
  where minute_counts.workspace = known.workspace
    and not known.is_revoked
    and known.requests_per_minute is not null
  returning minute_counts.requests, minute_counts.minute
),

-- A locked row is skipped: another batch stamps it now.
unused as materialized (
  select keys.id
  from known
  join sightline.keys on keys.id = known.key_id
  where known.is_unused
    and (keys.last_used_at is null or keys.last_used_at < date_trunc('second', statement_timestamp()))
  for no key update of keys skip locked
),

stamped as (
  update sightline.keys
  set last_used_at = date_trunc('second', statement_timestamp())
  from unused
  where keys.id = unused.id
),

final as (
  select
    known.key_id,
    known.workspace_id,
    known.requests_per_minute,
    known.is_revoked,
    counted.requests::float8 as used,
    counted.minute,
    date_part('epoch', statement_timestamp()) as now,
    -- Each tenth of the allowance is synced to the disk: a crash loses at most a tenth.
    set_config(
      'synchronous_commit',
      case
        when counted.requests - $2::integer < known.requests_per_minute
          and counted.requests * 10 / known.requests_per_minute
            > (counted.requests - $2::integer) * 10 / known.requests_per_minute
          then 'on'
        else 'off'
      end,
      true
    ) as synchronous_commit
  from known
  left join counted on true
)

select * from final
