-- One row is the key of a batch with a single key, $1, if it is known, and the minute of its workspace, which is null
-- if the key may not make requests. Most batches have one key; this statement does for them what admit.sql does, at
-- half the cost.
with known as materialized (
  select
    keys.id as key_id,
    keys.workspace,
    workspaces.id as workspace_id,
    case
      when plans.name is not null
        then coalesce(workspaces.requests_per_minute, plans.requests_per_minute)
    end as requests_per_minute,
    keys.revoked_at is not null as is_revoked,
    floor(date_part('epoch', statement_timestamp()) / 60)::integer as minute
  from sightline.keys
  join sightline.workspaces on workspaces.number = keys.workspace
  left join sightline.plans on plans.name = lower(workspaces.plan)
  where keys.hash = decode($1::text, 'hex')
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

logged as (
  insert into sightline.batch_uses (used_at, keys)
  select clock_timestamp(), array[key_id]
  from known
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
