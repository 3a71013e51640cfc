-- One row is the new setting: statements of this transaction wait at most 100 ms for a lock. Batches keep one for a few
-- ms.
select set_config('lock_timeout', '100ms', true)
