-- One row is a workspace's minute after the requests of this transaction, in which it was also read.
update minute_counts set minute = ?1, requests = ?2 where workspace = ?3
