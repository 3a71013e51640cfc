-- One row is everything that can prevent this user from writing: a standby, a read-only database, missing rights.
select
  pg_is_in_recovery() as is_standby,
  (select setting = 'on' from pg_settings where name = 'default_transaction_read_only') as is_read_only,
  (
    select bool_and(has_table_privilege('sightline.' || name, privilege))
    from (
      values ('keys', 'select'), ('workspaces', 'select'),
        ('minute_counts', 'select'), ('minute_counts', 'insert'), ('minute_counts', 'update'),
        ('checkpoints', 'select'), ('checkpoints', 'insert'), ('checkpoints', 'update')
    ) as needed (name, privilege)
  ) and has_column_privilege('sightline.keys', 'last_used_at', 'update') as may_admit,
  has_table_privilege('sightline.workspaces', 'insert, update') and has_table_privilege('sightline.keys', 'insert')
    as may_manage
