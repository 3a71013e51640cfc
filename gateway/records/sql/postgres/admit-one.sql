-- The rows of admit.sql for a batch that asks about one key, $1, as its only one has it: what most batches do, at half
-- the cost. The count is raised before the use is stamped, in the order in which admit.sql locks them.
with clock as materialized (
  select
    extract(epoch from clock_timestamp())::float8 as now,
    floor(extract(epoch from clock_timestamp()) / 60)::integer as minute
),

known as materialized (
  select
    keys.id as key_id,
    keys.workspace,
    workspaces.id as workspace_id,
    keys.revoked_at is not null as is_revoked,
    case
      when plans.name is not null
        then coalesce(workspaces.requests_per_minute, plans.requests_per_minute)
    end as requests_per_minute
  from sightline.keys
  join sightline.workspaces on workspaces.number = keys.workspace
  left join sightline.plans on plans.name = lower(workspaces.plan)
  where keys.hash = decode($1::text, 'hex')
),

counted as (
  update sightline.minute_counts
  set
    requests = $2::integer + case
      when minute_counts.minute in (clock.minute, clock.minute + 1) then minute_counts.requests
      else 0
    end,
    minute = case when minute_counts.minute = clock.minute + 1 then minute_counts.minute else clock.minute end
  from known, clock
  where minute_counts.workspace = known.workspace
    and not known.is_revoked
    and known.requests_per_minute is not null
  returning minute_counts.requests, minute_counts.minute, clock.now
),

stamped as (
  update sightline.key_uses
  set last_used_at = clock_timestamp()
  from known
  -- Always true, and not before the count is locked.
  where key_uses.key = known.key_id and (select count(*) from counted) >= 0
),

final as (
  select
    1 as place,
    known.key_id,
    known.workspace,
    known.workspace_id,
    known.is_revoked,
    known.requests_per_minute,
    counted.requests::float8 as used,
    counted.minute,
    counted.now
  from known
  left join counted on true
)

select * from final
