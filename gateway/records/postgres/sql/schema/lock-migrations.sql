-- One row, when no other process migrates this database; locked until the transaction ends. The number has no other meaning.
select pg_advisory_xact_lock(7234911268103)
