-- One row is the whole batch, as lists: one entry per known key (places to is_revoked), and one entry per workspace
-- that may make requests, with its minute (counted, used, minutes); a list without entries is null. One row costs the
-- gateway 4 µs less per key than one row per key, and joining the two halves here needs a plan that depends on
-- statistics. The statement counts the requests of valid keys, and updates the last use of every known key at most once
-- a second. It waits for counts only, in the order of their workspaces, so that two gateways never deadlock. $3 is the
-- allowance of each plan that includes the API.
with known as materialized (
  select
    asked.place,
    asked.requests,
    keys.id as key_id,
    keys.workspace,
    workspaces.id as workspace_id,
    keys.revoked_at is not null as is_revoked,
    case
      when $3::jsonb ? lower(workspaces.plan)
        then coalesce(workspaces.requests_per_minute, ($3::jsonb ->> lower(workspaces.plan))::integer)
    end as requests_per_minute,
    coalesce(keys.last_used_at < date_trunc('second', statement_timestamp()), true) as is_unused
  from unnest($1::text[], $2::integer[]) with ordinality as asked (hash, requests, place)
  join sightline.keys on keys.hash = asked.hash
  join sightline.workspaces on workspaces.number = keys.workspace
),

added as materialized (
  select
    workspace,
    sum(requests)::bigint as requests,
    min(requests_per_minute) as requests_per_minute,
    floor(date_part('epoch', statement_timestamp()) / 60)::integer as minute
  from known
  where not is_revoked and requests_per_minute is not null
  group by workspace
  order by workspace
),

counted as (
  update sightline.minute_counts
  set
    -- A later minute that another gateway has opened stays open. A minute far in the future comes from a clock that was
    -- set back, and is abandoned.
    requests = added.requests + case
      when minute_counts.minute in (added.minute, added.minute + 1) then minute_counts.requests
      else 0
    end,
    minute = case when minute_counts.minute = added.minute + 1 then minute_counts.minute else added.minute end
  from added
  where minute_counts.workspace = added.workspace
  returning
    minute_counts.workspace,
    minute_counts.requests,
    minute_counts.minute,
    -- Each tenth of the allowance is synced to the disk: a crash loses at most a tenth.
    minute_counts.requests - added.requests < added.requests_per_minute
      and minute_counts.requests * 10 / added.requests_per_minute
        > (minute_counts.requests - added.requests) * 10 / added.requests_per_minute as is_synced
),

-- A workspace that has no count yet gets one.
opened as (
  insert into sightline.minute_counts (workspace, minute, requests)
  select workspace, minute, requests
  from added
  where not exists (select from sightline.minute_counts where minute_counts.workspace = added.workspace)
  order by workspace
  -- Another batch has opened it meanwhile.
  on conflict (workspace) do update set requests = minute_counts.requests + excluded.requests
  returning workspace, requests, minute, true as is_synced
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

keys_known as (
  select
    array_agg(place) as places,
    array_agg(key_id) as key_ids,
    array_agg(workspace) as workspaces,
    array_agg(workspace_id) as workspace_ids,
    array_agg(requests_per_minute) as limits,
    array_agg(is_revoked) as is_revoked
  from known
),

workspaces_counted as (
  select
    array_agg(workspace) as counted,
    array_agg(requests) as used,
    array_agg(minute) as minutes,
    coalesce(bool_or(is_synced), false) as is_synced
  from (select * from counted union all select * from opened) as counts
),

final as (
  select
    places,
    key_ids,
    workspaces,
    workspace_ids,
    limits,
    is_revoked,
    counted,
    used,
    minutes,
    date_part('epoch', statement_timestamp()) as now,
    set_config('synchronous_commit', case when is_synced then 'on' else 'off' end, true) as synchronous_commit
  from keys_known, workspaces_counted
)

select * from final
