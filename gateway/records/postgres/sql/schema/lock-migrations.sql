-- One row, once nobody else migrates this database; held until the transaction ends. The number means nothing else.
select pg_advisory_xact_lock(7234911268103)
