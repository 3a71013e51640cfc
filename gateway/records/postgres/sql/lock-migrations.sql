-- One row without content, returned when no other process migrates this database; the lock lasts until the transaction
-- ends. Its number is arbitrary.
select pg_advisory_xact_lock(7234911268103)
