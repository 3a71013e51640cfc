-- One row is the hash, in hexadecimal, of an active key of the list $1 whose requests cannot be counted now, because
-- another transaction has locked the count of its workspace. The counts of the others are locked until the transaction
-- ends. Nothing waits, so the order does not matter.
with asked as materialized (
  select
    keys.hash,
    keys.workspace
  from sightline.keys
  join sightline.workspaces on workspaces.number = keys.workspace
  join sightline.plans on plans.name = lower(workspaces.plan)
  where keys.hash = any ($1::bytea[])
    and keys.revoked_at is null
),

free as materialized (
  select minute_counts.workspace
  from sightline.minute_counts
  where minute_counts.workspace in (select asked.workspace from asked)
  for update skip locked
),

final as (
  select encode(asked.hash, 'hex') as hash
  from asked
  where asked.workspace not in (select free.workspace from free)
)

select * from final
