-- One row is a workspace's minute count after this transaction's requests; the same transaction has read it before.
update minute_counts set minute = $1, requests = $2 where workspace = $3
