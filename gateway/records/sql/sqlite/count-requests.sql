-- One row is a workspace's minute after these requests. A minute that another process has already opened stays
-- open, so that none admits more than the allowance; one far ahead is a clock that was set back, and is left.
update minute_counts
set
  requests = case when minute in (?1, ?1 + 1) then requests + ?2 else ?2 end,
  minute = case when minute = ?1 + 1 then minute else ?1 end
where workspace = ?3
returning requests, minute
