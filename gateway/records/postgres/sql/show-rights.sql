-- One row is everything that can prevent this user from writing: a standby, a read-only database, missing rights.
select
  pg_is_in_recovery() as is_standby,
  (select setting = 'on' from pg_settings where name = 'default_transaction_read_only') as is_read_only,
  has_table_privilege('sightline.keys', 'select')
    and has_table_privilege('sightline.workspaces', 'select')
    and has_table_privilege('sightline.minute_counts', 'select')
    and has_table_privilege('sightline.minute_counts', 'insert')
    and has_table_privilege('sightline.minute_counts', 'update')
    and has_column_privilege('sightline.keys', 'last_used_at', 'update')
    and has_table_privilege('sightline.checkpoints', 'select')
    and has_table_privilege('sightline.checkpoints', 'insert')
    and has_table_privilege('sightline.checkpoints', 'update')
    as may_admit,
  has_table_privilege('sightline.workspaces', 'insert, update') and has_table_privilege('sightline.keys', 'insert')
    as may_manage
