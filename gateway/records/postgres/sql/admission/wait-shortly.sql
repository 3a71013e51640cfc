-- One row: statements of this transaction wait for a lock 100 ms at most. Another batch keeps one for a few.
select set_config('lock_timeout', '100ms', true)
