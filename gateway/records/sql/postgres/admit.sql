-- One row is a known key (used, minute and now are null), or else the minute of a workspace that may ask (place and
-- what belongs to the key are null). The statement stamps the last use of every known key, and counts the requests of
-- those that are good. It locks in one order, first counts, then stamps, each by number, so that two gateways never
-- wait for each other; and its two halves come back apart because joining them needs a plan that depends on statistics.
with asked as materialized (
  select place, hash, requests
  from unnest($1::bytea[], $2::integer[]) with ordinality as asked (hash, requests, place)
),

clock as materialized (
  select
    extract(epoch from clock_timestamp())::float8 as now,
    floor(extract(epoch from clock_timestamp()) / 60)::integer as minute
),

known as materialized (
  select
    asked.place::integer as place,
    asked.requests,
    keys.id as key_id,
    keys.workspace,
    workspaces.id as workspace_id,
    keys.revoked_at is not null as is_revoked,
    case
      when plans.name is not null
        then coalesce(workspaces.requests_per_minute, plans.requests_per_minute)
    end as requests_per_minute
  from asked
  join sightline.keys on keys.hash = asked.hash
  join sightline.workspaces on workspaces.number = keys.workspace
  left join sightline.plans on plans.name = lower(workspaces.plan)
),

added as materialized (
  select workspace, sum(requests) as requests
  from known
  where not is_revoked and requests_per_minute is not null
  group by workspace
),

counts_to_raise as materialized (
  select minute_counts.workspace, added.requests
  from (select workspace, requests from added order by workspace) as added
  join sightline.minute_counts on minute_counts.workspace = added.workspace
  for no key update of minute_counts
),

counted as (
  update sightline.minute_counts
  set
    -- A minute that another gateway has opened stays open; one far ahead is a clock that was set back, and is left.
    requests = counts_to_raise.requests + case
      when minute_counts.minute in (clock.minute, clock.minute + 1) then minute_counts.requests
      else 0
    end,
    minute = case when minute_counts.minute = clock.minute + 1 then minute_counts.minute else clock.minute end
  from counts_to_raise, clock
  where minute_counts.workspace = counts_to_raise.workspace
  returning minute_counts.workspace, minute_counts.requests, minute_counts.minute, clock.now
),

uses_to_stamp as materialized (
  select key_uses.key
  from (
    select key_id
    from known
    -- Always true, and not before all counts are locked.
    where (select count(*) from counts_to_raise) >= 0
    order by key_id
  ) as used
  join sightline.key_uses on key_uses.key = used.key_id
  for no key update of key_uses
),

stamped as (
  update sightline.key_uses
  set last_used_at = clock_timestamp()
  from uses_to_stamp
  where key_uses.key = uses_to_stamp.key
),

final as (
  select
    place,
    key_id,
    workspace,
    workspace_id,
    is_revoked,
    requests_per_minute,
    null::float8 as used,
    null::integer as minute,
    null::float8 as now
  from known
  union all
  select null, null, workspace, null, null, null, requests, minute, now
  from counted
)

select * from final
