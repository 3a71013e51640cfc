-- One row is the keys that were used in one batch of requests, and when. Gateways add a row for each batch and fold
-- them into key_uses every second: the last use of a key is the newest of both. Most rows live for a second, and the
-- space is used again: giving it back to the system would need a lock that admission waits for.
create table sightline.batch_uses (
  used_at timestamptz not null,
  keys integer[] not null
) with (autovacuum_vacuum_scale_factor = 0.01, vacuum_truncate = off);

-- Who could admit requests before goes on being able to.
do $$
declare
  admitting text;
begin
  for admitting in
    select distinct case when granted.grantee = 0 then 'public' else granted.grantee::regrole::text end
    from pg_class, aclexplode(pg_class.relacl) as granted
    where pg_class.oid = 'sightline.key_uses'::regclass
      and granted.privilege_type = 'UPDATE'
      and granted.grantee <> pg_class.relowner
  loop
    execute format('grant select, insert, delete on sightline.batch_uses to %s', admitting);
  end loop;
end
$$;

-- Workspaces are never deleted, so that this was never violated; it cost every update of a count a look at the row as
-- it was before, 20 µs a batch. Locked in the order in which older gateways, which go on meanwhile, ask for them.
lock table sightline.keys, sightline.workspaces, sightline.minute_counts in access exclusive mode;
alter table sightline.minute_counts drop constraint minute_counts_workspace_fkey;
